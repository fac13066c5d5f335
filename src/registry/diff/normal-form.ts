import { isSchemaObject } from '../subschemas.ts'
import { annotationsOf, isIdle } from './annotation-keywords.ts'
import { canonicalText } from './canonical-text.ts'
import type { Definition } from './definition.ts'
import { bearsOn } from './keyword-types.ts'
import { evaluatedBy } from './evaluated.ts'
import type { Evaluated } from './evaluated.ts'
import { mergeDefinitions } from './merge.ts'
import { plainKeywords } from './plain-keywords.ts'
import type { SchemaDocument } from './schema-document.ts'
import { ANY_TYPE, NO_TYPE, NULL, OBJECT, typeOfValue, typeSetOf } from './type-set.ts'
import type { TypeSet } from './type-set.ts'

// A chain of references that is longer goes in a circle.
const MAX_HOPS = 32

const NO_PROPERTIES: Readonly<Record<string, unknown>> = {}

const UNRESTRICTED: Definition = {
  source: true,
  declared: ANY_TYPE,
  possible: ANY_TYPE,
  values: undefined,
  properties: NO_PROPERTIES,
  required: new Set(),
  keywords: {},
  conjuncts: [],
  powerless: {},
  annotations: {},
}

/** Reads the definitions of one document. */
export interface Normaliser {
  normalise: (source: unknown) => Definition
  /** What a definition that is nothing but a `$ref` names; any other is its own target. */
  target: (source: unknown) => unknown
}

/** Makes normal forms for one document and keeps them: the same definition is compared again wherever a `$ref` names it. */
export function normaliser(document: SchemaDocument): Normaliser {
  const known = new WeakMap<object, Definition>()
  const open = new Set<object>()
  return { normalise, target }

  function target(source: unknown): unknown {
    let found = source
    for (let hops = 0; hops < MAX_HOPS && isOnlyReference(found); hops++) found = document.resolve(found['$ref']) ?? true
    return found
  }

  function normalise(source: unknown): Definition {
    if (source === false) return { ...UNRESTRICTED, source, declared: NO_TYPE, possible: NO_TYPE }
    if (!isSchemaObject(source)) return { ...UNRESTRICTED, source }
    const before = known.get(source)
    if (before) return before
    // A reference that comes back to itself through references alone: validators give up on it, so it says nothing here.
    if (open.has(source)) return UNRESTRICTED
    open.add(source)
    const definition = withoutPowerless(withPlainClosing(flatten(source), source))
    open.delete(source)
    known.set(source, definition)
    return definition
  }

  function flatten(source: Record<string, unknown>): Definition {
    let whole = ownDefinition(source, target)
    for (const member of conjunctsOf(source)) {
      whole = mergeDefinitions(whole, normalise(member)) ?? { ...whole, conjuncts: [...whole.conjuncts, member] }
    }
    return whole
  }

  /** Writes `unevaluatedProperties` as `additionalProperties`, and `unevaluatedItems` as `items`, where they mean the same. */
  function withPlainClosing(whole: Definition, source: Record<string, unknown>): Definition {
    const { unevaluatedProperties, unevaluatedItems, ...others } = whole.keywords
    if (unevaluatedProperties === undefined && unevaluatedItems === undefined) return whole
    const evaluated = evaluatedBy(source, document.resolve)
    if (!evaluated.isCertain || whole.conjuncts.length > 0 || !showsAll(whole, evaluated)) return whole
    const keywords: Record<string, unknown> = { ...others }
    if (unevaluatedProperties !== undefined && !evaluated.allNames) keywords['additionalProperties'] = unevaluatedProperties
    if (unevaluatedItems !== undefined && !evaluated.allItems) keywords['items'] = unevaluatedItems
    return { ...whole, keywords }
  }

  function conjunctsOf(source: Record<string, unknown>): unknown[] {
    const members: unknown[] = Array.isArray(source['allOf']) ? [...source['allOf']] : []
    const target = '$ref' in source ? document.resolve(source['$ref']) : undefined
    return target === undefined ? members : [target, ...members]
  }
}

/** Whether all that was looked at is still there after the merge, which leaves out patterns and positions that refuse nothing. */
function showsAll({ properties, keywords }: Definition, evaluated: Evaluated): boolean {
  const patterns = keywords['patternProperties'] ?? {}
  const positions = keywords['prefixItems']
  return (
    [...evaluated.names].every((name) => Object.hasOwn(properties, name)) &&
    [...evaluated.patterns].every((pattern) => Object.hasOwn(patterns, pattern)) &&
    evaluated.positions <= (Array.isArray(positions) ? positions.length : 0)
  )
}

/** A boolean `required` speaks of the property in its parent. */
function isOnlyReference(source: unknown): source is Record<string, unknown> {
  if (!isSchemaObject(source) || !('$ref' in source)) return false
  return Object.entries(source).every(([name, value]) => name === '$ref' || (name === 'required' && typeof value === 'boolean') || isIdle(name, value))
}

/** What a definition says by itself, its references and `allOf` aside. */
function ownDefinition(source: Record<string, unknown>, target: Normaliser['target']): Definition {
  const keywords = plainKeywords(source, target)
  const declared = declaredTypes(source) & keywords.bareTypes
  const properties = isSchemaObject(source['properties']) ? source['properties'] : NO_PROPERTIES
  return {
    ...UNRESTRICTED,
    source,
    declared,
    possible: declared,
    values: valuesOf(source),
    properties,
    required: requiredNames(source['required'], properties),
    keywords: keywords.effective,
    annotations: annotationsOf(source),
  }
}

function declaredTypes(source: Record<string, unknown>): TypeSet {
  if (!('type' in source)) return ANY_TYPE
  return typeSetOf(source['type']) | (source['nullable'] === true ? NULL : NO_TYPE) // OpenAPI's word, which ajv obeys
}

function valuesOf(source: Record<string, unknown>): unknown[] | undefined {
  const listed = Array.isArray(source['enum']) ? distinct(source['enum']) : undefined
  if (!('const' in source)) return listed
  const constant = canonicalText(source['const'])
  return listed === undefined || listed.some((value) => canonicalText(value) === constant) ? [source['const']] : []
}

function distinct(values: unknown[]): unknown[] {
  return [...new Map(values.map((value) => [canonicalText(value), value])).values()]
}

function requiredNames(list: unknown, properties: Readonly<Record<string, unknown>>): Set<string> {
  const names = new Set(Array.isArray(list) ? list.map(String) : [])
  for (const [name, definition] of Object.entries(properties)) if (isSchemaObject(definition) && definition['required'] === true) names.add(name)
  return names
}

/** Narrows the types to those of the values, and sets aside what bears on none of them. */
function withoutPowerless(definition: Definition): Definition {
  const values = definition.values?.filter((value) => (typeOfValue(value) & definition.declared) !== NO_TYPE)
  const possible = values === undefined ? definition.declared : values.reduce<TypeSet>((set, value) => set | typeOfValue(value), NO_TYPE)
  const keywords: Record<string, unknown> = {}
  const powerless: Record<string, unknown> = { ...definition.powerless }
  for (const [name, value] of Object.entries(definition.keywords)) {
    const place = (bearsOn(name, value) & possible) === NO_TYPE ? powerless : keywords
    place[name] = value
  }
  const lost = (definition.values ?? []).filter((value) => (typeOfValue(value) & definition.declared) === NO_TYPE)
  if (lost.length > 0) powerless['enum'] = lost
  const narrowed = { ...definition, values, possible, keywords, powerless }
  if ((possible & OBJECT) !== NO_TYPE) return narrowed
  if (definition.required.size > 0) powerless['required'] = [...definition.required].sort()
  if (Object.keys(definition.properties).length > 0) powerless['properties'] = definition.properties
  return { ...narrowed, properties: NO_PROPERTIES, required: new Set() }
}
