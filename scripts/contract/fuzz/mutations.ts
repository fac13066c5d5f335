import fc from 'fast-check'

/** One way to spoil a body, at one place in it. */
type Mutation = (value: unknown, pick: number) => unknown

const WRONG_TYPES: readonly unknown[] = [true, 12.5, 'text', [], {}, null, -1, [null], 1e300]
const OVER_LIMIT: readonly unknown[] = ['', 'x'.repeat(30_000), 'x'.repeat(300_000), '\ud800', '\ud83d\ude00'.repeat(200), '1'.repeat(400), -1, Number.MAX_SAFE_INTEGER, Array.from({ length: 3000 }, () => 'x'), ' ', '\u0000', 'é/..', 'javascript:alert(1)']

const MUTATIONS: Record<string, Mutation> = {
  'wrong type': (_value, pick) => WRONG_TYPES[pick % WRONG_TYPES.length],
  'over a limit': (_value, pick) => OVER_LIMIT[pick % OVER_LIMIT.length],
  'missing field': (value, pick) => (isObject(value) ? Object.fromEntries(Object.entries(value).filter((_entry, index, all) => index !== pick % all.length)) : {}),
  'unknown field': (value) => (isObject(value) ? { ...value, surprising_field: 1 } : { surprising_field: 1 }),
  'bad word': (value) => (typeof value === 'string' ? `${value}-or-not` : 'no-such-word'),
}

/** Bodies that are a valid one with one thing changed; whether they are still valid is for the schema to say. */
export function spoiled(body: unknown): fc.Arbitrary<{ name: string; body: unknown }> {
  const places = placesOf(body)
  return fc.tuple(fc.constantFrom(...Object.entries(MUTATIONS)), fc.constantFrom(...places), fc.nat()).map(([[name, mutate], place, pick]) => ({ name: `${name} at /${place.join('/')}`, body: changedAt(body, place, (value) => mutate(value, pick)) }))
}

/** Every place of a value, the whole first; not deeper than faults of the contract lie. */
function placesOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null || path.length >= 4) return [path]
  return [path, ...Object.entries(value).flatMap(([key, child]) => placesOf(child, [...path, key]))]
}

function changedAt(value: unknown, [step, ...rest]: string[], change: (value: unknown) => unknown): unknown {
  if (step === undefined) return change(value)
  if (Array.isArray(value)) return value.map((child: unknown, index) => (String(index) === step ? changedAt(child, rest, change) : child))
  const object = value as Record<string, unknown>
  return { ...object, [step]: changedAt(object[step], rest, change) }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
