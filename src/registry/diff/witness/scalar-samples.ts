import { divides } from '../decimal.ts'
import { FRACTION, NUMBER, STRING } from '../type-set.ts'
import { numbersOf, saidOf, typesOf } from './facets.ts'
import type { Facets } from './facets.ts'
import { samplesOfFormat } from './format-samples.ts'
import { sampleRegex } from './regex-sample.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
// Longer strings prove nothing that shorter ones would not, except where the spec itself asks for them.
const MAX_STRING = 5_000

/** Strings that keep to the definition, as far as its length, patterns and formats can be followed. */
export function sampleStrings(facets: Facets): string[] {
  if ((typesOf(facets) & STRING) === 0) return []
  const min = Math.max(0, ...numbersOf(facets, 'minLength'))
  const max = Math.min(MAX_STRING, ...numbersOf(facets, 'maxLength'))
  const patterns = saidOf(facets, 'pattern').map(String)
  const formats = saidOf(facets, 'format')
  const special = [...formats.flatMap(samplesOfFormat), ...patterns.flatMap(sampleRegex)].filter((value) => typeof value === 'string')
  const plain = [min, Math.min(min + 1, max), Math.min(max, min + 3)].map(lettersOf)
  const candidates = [...new Set([...special, ...plain])]
  return candidates.filter((text) => lengthOf(text) >= min && lengthOf(text) <= max && patterns.every((pattern) => matches(pattern, text)))
}

/** As many letters as asked for, the alphabet over and over. */
export function lettersOf(length: number): string {
  return LETTERS.repeat(Math.ceil(Math.min(length, MAX_STRING) / LETTERS.length)).slice(0, Math.min(length, MAX_STRING))
}

/** Numbers that keep to the definition. */
export function sampleNumbers(facets: Facets): number[] {
  if ((typesOf(facets) & NUMBER) === 0) return []
  const isWhole = (typesOf(facets) & FRACTION) === 0
  const lows = [...numbersOf(facets, 'minimum'), ...numbersOf(facets, 'exclusiveMinimum')]
  const highs = [...numbersOf(facets, 'maximum'), ...numbersOf(facets, 'exclusiveMaximum')]
  const steps = numbersOf(facets, 'multipleOf')
  const edges = [...lows, ...highs]
  const middle = lows.length > 0 && highs.length > 0 ? [(Math.max(...lows) + Math.min(...highs)) / 2] : []
  const near = [...edges, 0].flatMap((edge) => [edge, edge + 1, edge - 1, edge + 0.5, edge - 0.5, Math.ceil(edge), Math.floor(edge)])
  const stepped = steps.flatMap((step) => [...edges, 0].flatMap((edge) => [0, 1, -1, 2, -2].map((turn) => cleanProduct(Math.round(edge / step) + turn, step))))
  const common = steps.length > 1 ? [steps.reduce((product, step) => product * step, 1)] : []
  const candidates = [1, 0, ...middle, ...near, ...stepped, ...common].map((value) => value + 0) // no -0
  return [...new Set(candidates)].filter((value) => (!isWhole || Number.isInteger(value)) && keepsToRange(facets, value) && steps.every((step) => divides(step, value)))
}

/** 3 × 0.1 as people reckon it. */
export function cleanProduct(one: number, other: number): number {
  return Number((one * other).toPrecision(15))
}

function keepsToRange(facets: Facets, value: number): boolean {
  return (
    numbersOf(facets, 'minimum').every((limit) => value >= limit) &&
    numbersOf(facets, 'maximum').every((limit) => value <= limit) &&
    numbersOf(facets, 'exclusiveMinimum').every((limit) => value > limit) &&
    numbersOf(facets, 'exclusiveMaximum').every((limit) => value < limit)
  )
}

/** JSON Schema counts code points. */
function lengthOf(text: string): number {
  return [...text].length
}

function matches(pattern: string, text: string): boolean {
  const MAX_TRIED = 300 // every pattern in a spec is safe, yet quadratic at worst
  try {
    return text.length > MAX_TRIED || new RegExp(pattern, 'u').test(text)
  } catch {
    return false
  }
}
