import type { EventSpec, PropertyDefinition } from '../../../../src/registry/event-spec.ts'
import { isSchemaObject, subschemas } from '../../../../src/registry/subschemas.ts'
import type { Random } from './random.ts'
import { NAMES, randomKeyword, randomSchema } from './random-specs.ts'

/** A place in a spec where a definition stands, and how to put another one there. */
interface Place {
  schema: unknown
  isShared: boolean
  replace: (schema: unknown) => void
}

/** A copy of the spec with one small edit, seldom up to three, as people make them between two versions. */
export function mutated(random: Random, spec: EventSpec): EventSpec {
  const copy = structuredClone(spec)
  const edits = random.chance(0.8) ? 1 : 1 + random.below(3)
  for (let edit = 0; edit < edits; edit++) mutateOnce(random, copy)
  return copy
}

function mutateOnce(random: Random, spec: EventSpec): void {
  const places = placesIn(spec)
  if (places.length === 0 || random.chance(0.1)) return mutateEvent(random, spec)
  mutatePlace(random, random.pick(places))
}

function mutateEvent(random: Random, spec: EventSpec): void {
  const properties = (spec.properties ??= {})
  random.pick<() => void>([
    () => (spec.additional_properties = random.chance(0.5)),
    () => delete spec.additional_properties,
    () => (properties[random.pick(NAMES)] = randomSchema(random, 2) as PropertyDefinition),
    () => delete properties[random.pick(NAMES)],
    () => {
      const [old, name] = [random.pick(NAMES), random.pick(NAMES)]
      const definition = properties[old]
      if (definition === undefined || typeof definition !== 'object') return
      delete properties[old]
      properties[name] = { ...definition, aliases: [old] }
    },
  ])()
}

function mutatePlace(random: Random, { schema, isShared, replace }: Place): void {
  if (!isSchemaObject(schema)) return replace(randomSchema(random, 1, isShared))
  const names = Object.keys(schema)
  random.pick<() => void>([
    () => Object.assign(schema, randomKeyword(random, 1, isShared, schema['type'])),
    () => Object.assign(schema, randomKeyword(random, 2, isShared, schema['type'])),
    () => names.length > 0 && delete schema[random.pick(names)],
    () => nudge(random, schema),
    () => nudge(random, schema),
    () => toggleRequired(schema),
    () => replace(randomSchema(random, 1, isShared)),
    () => replace({ [random.pick(['allOf', 'anyOf', 'oneOf'])]: [schema, ...(random.chance(0.6) ? [randomSchema(random, 1, isShared)] : [])] }),
    () => shuffle(random, schema),
  ])()
}

/** Moves a number by one, or a list by one member. */
function nudge(random: Random, schema: PropertyDefinition): void {
  const names = Object.keys(schema).filter((name) => typeof schema[name] === 'number' || Array.isArray(schema[name]))
  if (names.length === 0) return
  const name = random.pick(names)
  const value = schema[name]
  if (typeof value === 'number') schema[name] = Math.max(name === 'multipleOf' ? 1 : 0, value + random.pick([1, -1]))
  else if (Array.isArray(value) && value.length > 1) value.splice(random.below(value.length), 1)
}

function toggleRequired(schema: PropertyDefinition): void {
  const properties = schema['properties']
  if (isSchemaObject(properties)) {
    for (const definition of Object.values(properties)) if (isSchemaObject(definition)) definition['required'] = definition['required'] !== true
  }
}

function shuffle(random: Random, schema: PropertyDefinition): void {
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'enum', 'required']) {
    const list = schema[keyword]
    if (Array.isArray(list)) list.push(...list.splice(0, random.below(list.length)))
  }
}

function placesIn(spec: EventSpec): Place[] {
  const places: Place[] = []
  for (const part of ['properties', 'context_properties', '$defs'] as const) {
    const map = spec[part] as Record<string, unknown> | undefined
    if (map === undefined) continue
    for (const [name, schema] of Object.entries(map)) collect(places, schema, part === '$defs', (other) => (map[name] = other))
  }
  return places
}

function collect(places: Place[], schema: unknown, isShared: boolean, replace: (schema: unknown) => void): void {
  places.push({ schema, isShared, replace })
  if (!isSchemaObject(schema)) return
  for (const { keyword, key, schema: inner } of subschemas(schema)) {
    const holder = (key === undefined ? schema : schema[keyword]) as Record<string | number, unknown>
    collect(places, inner, isShared, (other) => (holder[key ?? keyword] = other))
  }
}
