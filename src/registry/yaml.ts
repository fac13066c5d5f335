import { CORE_SCHEMA, EVENT_ID, SCALAR_STYLE, YAMLException, constructFromEvents, defineMappingTag, getScalarValue, mapTag, parseEvents } from 'js-yaml'
import type { Event } from 'js-yaml'
import { SignalbookError, invalid } from '../error.ts'
import { MAX_DEPTH } from '../plain-json.ts'

// JSON's objects: the library would turn the keys `1`, `true` and `null` into strings and keep `<<` as one.
const jsonMapping = defineMappingTag(mapTag.tagName, {
  ...mapTag,
  addPair: (carrier, key, value) => {
    if (key === '<<') return 'merge keys (<<) are not allowed; write the merged keys out'
    if (typeof key === 'string') return mapTag.addPair(carrier, key, value)
    return typeof key === 'object' && key !== null ? 'a key must be a string, not a list or a map' : `the key ${String(key)} must be a string; put it in quotes`
  },
})
const SCHEMA = CORE_SCHEMA.withTags(jsonMapping)

// The library counts the levels of some forms twice; assertPlainJson counts exactly, this only ends a bomb of 20,000.
const PARSER_DEPTH = 4 * MAX_DEPTH

// The library's words, and what would be right.
const HINTS: readonly [about: RegExp, text: string][] = [
  [/^nesting exceeded.*$/, `it is nested deeper than ${MAX_DEPTH} levels; flatten it`],
  [/duplicated mapping key/, '$&; write each key once'],
  [/tab characters.*/, '$&; indent with spaces'],
  [/unknown .* tag.*/, '$&; remove the tag, the value is read by its form'],
]

/**
 * Reads one YAML 1.2 document that means the same as some JSON text: core schema, so times stay strings; no anchors and aliases,
 * which could expand 400 bytes to gigabytes; no merge keys, no tags but the core schema's, no duplicate keys.
 * @throws SignalbookError `invalid_request` with line and column
 */
export function readYaml(text: string): unknown {
  try {
    const events = parseEvents(text, { maxDepth: PARSER_DEPTH })
    assertJsonLike(text, events)
    return constructFromEvents(events, { source: text, schema: SCHEMA, maxAliases: 0 })[0]
  } catch (error) {
    if (error instanceof SignalbookError) throw error
    // The library asks to expect any exception from hostile input, not only its own.
    const { reason, mark } = error instanceof YAMLException ? error : { reason: 'it cannot be read', mark: undefined }
    const explained = HINTS.reduce((words, [about, hint]) => words.replace(about, hint), reason)
    throw refusal(explained, mark ?? { line: 0, column: 0 }, error)
  }
}

/** Judges the flat list of events, before anything is built from it. */
function assertJsonLike(text: string, events: readonly Event[]): void {
  let documents = 0
  for (const event of events) {
    if (event.type === EVENT_ID.POP) continue
    if (event.type === EVENT_ID.DOCUMENT) {
      documents += 1
      continue
    }
    if (event.type === EVENT_ID.ALIAS) throw refusal('aliases (*) are not allowed; write the value out', placeOf(text, event.anchorStart - 1))
    if (event.anchorStart >= 0) throw refusal('anchors (&) are not allowed; remove the anchor', placeOf(text, event.anchorStart - 1))
    if (documents > 1) throw refusal('a second document begins; send one document for each event spec', placeOf(text, startOf(event)))
    if (event.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.PLAIN && isBeyondNumbers(getScalarValue(text, event))) {
      throw refusal('the number is not finite; write one within the range of a 64-bit float, or quote it as text', placeOf(text, event.valueStart))
    }
  }
  if (documents === 0) throw refusal('the body is empty; send one document with the keys of an event spec', { line: 0, column: 0 })
}

/** Infinity and not-a-number, which JSON cannot write, in either spelling: `.inf`, and `1e999`, which the library reads as text. */
function isBeyondNumbers(plain: string): boolean {
  return /^[-+]?\.(?:inf|nan)$/i.test(plain) || (/^[-+]?[\d.]+(?:e[-+]?\d+)?$/i.test(plain) && Math.abs(Number(plain)) === Infinity)
}

function startOf(event: Exclude<Event, { type: 1 | 5 | 6 }>): number {
  return event.type === EVENT_ID.SCALAR ? event.valueStart : event.start
}

interface Place {
  /** Both counted from 0. */
  line: number
  column: number
}

function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, Math.max(offset, 0)).split(/\r\n|\r|\n/)
  return { line: before.length - 1, column: before.at(-1)?.length ?? 0 }
}

function refusal(reason: string, place: Place, cause?: unknown): SignalbookError {
  const message = `the YAML is wrong at line ${place.line + 1}, column ${place.column + 1}: ${reason.slice(0, 300)}`
  return cause === undefined ? invalid(message) : new SignalbookError('invalid_request', message, { cause })
}
