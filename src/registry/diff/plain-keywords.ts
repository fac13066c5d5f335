import { isSchemaObject, mapSubschemas, subschemas } from '../subschemas.ts'
import { annotationsOf, isIdle, refusesNothing } from './annotation-keywords.ts'
import { isAssertion } from './keyword-types.ts'
import { ANY_TYPE, NO_TYPE, typeSetOf } from './type-set.ts'
import type { TypeSet } from './type-set.ts'

type Keywords = Record<string, unknown>

/** What a definition names that is nothing but a reference; any other is its own target. */
type Target = (definition: unknown) => unknown

// A definition may name itself.
const MAX_HOPS = 3
const itself: Target = (definition) => definition

/** A definition's own keywords in their plainest spelling. */
export interface PlainKeywords {
  /** Those that can refuse a value. */
  effective: Keywords
  /** What `anyOf` and `oneOf` say when their members refuse by type alone: the same as a list of types. */
  bareTypes: TypeSet
}

const NO_KEYWORDS: PlainKeywords = { effective: {}, bareTypes: ANY_TYPE }

/**
 * Rewrites older and longer spellings and leaves out keywords that refuse nothing. References are followed only to see whether
 * they name a definition that refuses nothing, or everything.
 */
export function plainKeywords(source: Keywords, target: Target, hops = MAX_HOPS): PlainKeywords {
  const keywords: Keywords = {}
  for (const name in source) if (isAssertion(name) && !isIdle(name, source[name])) keywords[name] = settled(name, source[name], hops > 0 ? target : itself, hops)
  splitDependencies(keywords, source['dependencies'])
  if (isEmpty(keywords)) return NO_KEYWORDS // as in most definitions of a large spec
  readBooleanBounds(keywords)
  dropIdle(keywords)
  dropIdlePatterns(keywords)
  dropIdleConditionals(keywords)
  dropIdleContains(keywords)
  return { effective: keywords, bareTypes: takeBareTypes(keywords, target, hops) }
}

/** Writes out references directly under a keyword that name a definition which refuses nothing, or everything, or tells types only. */
function settled(name: string, value: unknown, target: Target, hops: number): unknown {
  const [first] = subschemas({ [name]: value })
  if (first === undefined) return value
  const settle = (definition: unknown): unknown => {
    if (!isSchemaObject(definition) || !('$ref' in definition)) return definition
    const { $ref, ...beside } = definition
    const named = refusesNothing(beside) ? target({ $ref }) : undefined
    if (named === true || named === false) return named
    return isSchemaObject(named) && (refusesNothing(named) || isBare(named, target, hops)) ? { ...named, ...beside } : definition
  }
  return mapSubschemas({ [name]: value }, settle)[name]
}

/** `dependencies` of older drafts, which ajv still obeys. */
function splitDependencies(keywords: Keywords, dependencies: unknown): void {
  if (!isSchemaObject(dependencies)) return
  const required: Keywords = { ...(keywords['dependentRequired'] as Keywords | undefined) }
  const schemas: Keywords = { ...(keywords['dependentSchemas'] as Keywords | undefined) }
  for (const [name, wanted] of Object.entries(dependencies)) {
    if (Array.isArray(wanted)) required[name] = [...((required[name] as unknown[] | undefined) ?? []), ...wanted]
    else schemas[name] = name in schemas ? { allOf: [schemas[name], wanted] } : wanted
  }
  Object.assign(keywords, { dependentRequired: required, dependentSchemas: schemas })
}

/** Draft 4 wrote `exclusiveMinimum: true` beside `minimum`. */
function readBooleanBounds(keywords: Keywords): void {
  for (const [exclusive, inclusive] of [['exclusiveMinimum', 'minimum'], ['exclusiveMaximum', 'maximum']] as const) {
    const flag = keywords[exclusive]
    if (typeof flag !== 'boolean') continue
    delete keywords[exclusive]
    if (!flag || keywords[inclusive] === undefined) continue
    keywords[exclusive] = keywords[inclusive]
    delete keywords[inclusive]
  }
}

function dropIdle(keywords: Keywords): void {
  for (const name of ['additionalProperties', 'items', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties']) {
    if (refusesNothing(keywords[name])) delete keywords[name]
  }
  if (keywords['not'] === false) delete keywords['not']
  if (Array.isArray(keywords['anyOf']) && keywords['anyOf'].some(refusesNothing)) delete keywords['anyOf']
  keepInMap(keywords, 'dependentRequired', (list) => Array.isArray(list) && list.length > 0)
  keepInMap(keywords, 'dependentSchemas', (definition) => !refusesNothing(definition))
  const positions = keywords['prefixItems']
  if (Array.isArray(positions) && positions.every(refusesNothing) && refusesNothing(keywords['items']) && !('unevaluatedItems' in keywords)) delete keywords['prefixItems']
}

/** A pattern that refuses nothing still counts while other names are refused: it lets the names that match it through. */
function dropIdlePatterns(keywords: Keywords): void {
  const othersPass = refusesNothing(keywords['additionalProperties']) && refusesNothing(keywords['unevaluatedProperties'])
  if (othersPass) keepInMap(keywords, 'patternProperties', (definition) => !refusesNothing(definition))
  else keepInMap(keywords, 'patternProperties', () => true)
}

function dropIdleConditionals(keywords: Keywords): void {
  for (const name of ['then', 'else']) if (keywords['if'] === undefined || refusesNothing(keywords[name])) delete keywords[name]
  if (keywords['then'] === undefined && keywords['else'] === undefined) delete keywords['if']
}

function dropIdleContains(keywords: Keywords): void {
  const isIdle = keywords['contains'] === undefined || (keywords['minContains'] === 0 && keywords['maxContains'] === undefined)
  if (isIdle) for (const name of ['contains', 'minContains', 'maxContains']) delete keywords[name]
  if (keywords['minContains'] === 1) delete keywords['minContains']
}

function keepInMap(keywords: Keywords, name: string, isWanted: (value: unknown) => boolean): void {
  const map = keywords[name]
  if (!isSchemaObject(map)) return
  const kept = Object.entries(map).filter(([, value]) => isWanted(value))
  if (kept.length > 0) keywords[name] = Object.fromEntries(kept)
  else delete keywords[name]
}

function isEmpty(keywords: Keywords): boolean {
  for (const _name in keywords) return false
  return true
}

function takeBareTypes(keywords: Keywords, target: Target, hops: number): TypeSet {
  let types = ANY_TYPE
  for (const name of ['anyOf', 'oneOf']) {
    const sets = bareTypeSets(keywords[name], target, hops)
    if (sets === undefined || (name === 'oneOf' && !areDisjoint(sets))) continue
    types &= sets.reduce((all, set) => all | set, NO_TYPE)
    // Alternatives that are described stay, for their descriptions.
    if ((keywords[name] as Keywords[]).every((member) => isEmpty(annotationsOf(member)))) delete keywords[name]
  }
  return types
}

function bareTypeSets(members: unknown, target: Target, hops: number): TypeSet[] | undefined {
  if (!Array.isArray(members)) return undefined
  return members.every((member) => isBare(member, target, hops)) ? members.map((member) => typeSetOf(member['type'])) : undefined
}

/** Whether a definition refuses by type and by nothing else. */
function isBare(member: unknown, target: Target, hops: number): member is Keywords {
  if (!isSchemaObject(member) || !('type' in member)) return false
  const { type: _type, ...rest } = member
  const others = Object.fromEntries(Object.entries(rest).filter(([name]) => !isAssertion(name)))
  return refusesNothing(others) && isEmpty(plainKeywords(member, target, hops - 1).effective)
}

function areDisjoint(sets: TypeSet[]): boolean {
  return sets.reduce((sum, set) => sum + set, 0) === sets.reduce((all, set) => all | set, 0)
}
