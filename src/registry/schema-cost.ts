import type { ErrorDetail } from '../error.ts'
import { MAX_DEPTH } from '../plain-json.ts'
import { resolveRef } from './local-ref.ts'
import { isSchemaObject, subschemas } from './subschemas.ts'
import type { JsonSchema, Subschema } from './subschemas.ts'

// A large `anyOf` has some hundreds of branches; an event of 32 KB holds up to 16,000 values.
const MAX_JUDGEMENTS = 2000
// Stands for the parts of a value that no `properties` or `prefixItems` names.
const ANY = '*'

/** How many schemas judge a part of a value, by the part's name. */
type Judgements = Map<string, number>

/**
 * Says why an event could keep a validator busy without end, or `undefined`: a schema that refers to itself without going deeper
 * into the value recurses for ever, and one that judges a part twice by way of itself doubles the work with each level.
 */
export function explainCostlySchema(root: JsonSchema): ErrorDetail | undefined {
  const graph = explore(root)
  const endless = findEndless(graph)
  if (endless) return { path: endless.path, message: 'refers to itself without going deeper into the value, so that no value can ever be judged by it' }
  let below = new Map<JsonSchema, number>()
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    below = judgementsAt(graph, below)
    if ((below.get(root) ?? 0) > MAX_JUDGEMENTS) {
      const message = `its combinations of allOf, anyOf, oneOf and $ref judge a value ${depth} levels deep more than ${MAX_JUDGEMENTS} times; let each value be reached in one way`
      return { path: '/properties', message }
    }
  }
  return undefined
}

interface Node {
  /** JSON pointer to where it was first found. */
  path: string
  /** Schemas that judge the same value. */
  same: JsonSchema[]
  /** Schemas that judge a part of it. */
  parts: { name: string; schema: JsonSchema }[]
}

function explore(root: JsonSchema): Map<JsonSchema, Node> {
  const graph = new Map<JsonSchema, Node>()
  const pending: { schema: unknown; path: string }[] = [{ schema: root, path: '' }]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { schema, path } = next
    if (!isSchemaObject(schema) || graph.has(schema)) continue
    const inner = subschemas(schema).filter((found) => isSchemaObject(found.schema)) as (Subschema & { schema: JsonSchema })[]
    const target = resolveRef(root, schema['$ref'])
    graph.set(schema, {
      path,
      same: [...(isSchemaObject(target) ? [target] : []), ...inner.filter(({ judges }) => judges === 'same').map((found) => found.schema)],
      parts: inner.filter(({ judges }) => judges === 'part').map((found) => ({ name: partName(found.keyword, found.key), schema: found.schema })),
    })
    // $defs too, so that what is found inside them has a path of its own.
    pending.push({ schema: target, path: String(schema['$ref']).slice(1) }, ...inner.map((found) => ({ schema: found.schema, path: path + found.path })))
  }
  return graph
}

function partName(keyword: string, key: string | number | undefined): string {
  return keyword === 'properties' || keyword === 'prefixItems' ? `${keyword}/${key}` : ANY
}

/** Finds a circle of schemas that judge the same value. */
function findEndless(graph: ReadonlyMap<JsonSchema, Node>): Node | undefined {
  const done = new Set<Node>()
  const open = new Set<Node>()
  const visit = (schema: JsonSchema): Node | undefined => {
    const node = graph.get(schema) as Node
    if (open.has(node)) return node
    if (done.has(node)) return undefined
    open.add(node)
    const found = firstOf(node.same, visit)
    open.delete(node)
    done.add(node)
    return found
  }
  return firstOf([...graph.keys()], visit)
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

/** From how often values at some depth are judged at most, to how often those one level deeper are. */
function judgementsAt(graph: ReadonlyMap<JsonSchema, Node>, below: ReadonlyMap<JsonSchema, number>): Map<JsonSchema, number> {
  const isTop = below.size === 0
  const known = new Map<JsonSchema, Judgements>()
  const judge = (schema: JsonSchema): Judgements => {
    const before = known.get(schema)
    if (before) return before
    const { same, parts } = graph.get(schema) as Node
    const own = isTop ? new Map([[ANY, 1]]) : sum(parts.map((part) => new Map([[part.name, below.get(part.schema) ?? 0]])))
    const total = sum([own, ...same.map(judge)])
    known.set(schema, total)
    return total
  }
  return new Map([...graph.keys()].map((schema) => [schema, Math.min(Math.max(0, ...judge(schema).values()), MAX_JUDGEMENTS + 1)]))
}

/** Adds up by name; what judges any part judges the named ones as well. */
function sum(all: readonly Judgements[]): Judgements {
  const names = new Set([ANY, ...all.flatMap((judgements) => [...judgements.keys()])])
  const total: Judgements = new Map()
  const any = all.reduce((count, judgements) => count + (judgements.get(ANY) ?? 0), 0)
  for (const name of names) total.set(name, any)
  for (const judgements of all) {
    for (const [name, count] of judgements) if (name !== ANY) total.set(name, (total.get(name) ?? 0) + count - (judgements.get(ANY) ?? 0))
  }
  return total
}
