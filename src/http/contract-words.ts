import { discriminatorValues } from '../contract/validate.ts'
import type { ValidatorError } from '../contract/validate.ts'
import type { ErrorDetail } from '../error.ts'

/** One way in which a request does not match the contract. `name` is how a person would call the place. */
export interface ContractFault {
  name: string
  path: string
  message: string
}

/** What the patterns of the contract mean, for people; by the beginning of the pattern. */
const PATTERN_WORDS: [begins: string, words: string][] = [
  ['^(0|[1-9]', 'must be a version MAJOR-MINOR-PATCH of three numbers without leading zeros, such as 1-0-2'],
  ['^[A-Za-z0-9][A-Za-z0-9._-]', 'must be 1 to 100 characters of A-Z, a-z, 0-9, ".", "_" and "-", beginning with a letter or digit'],
  ['^https?://', 'must be an http:// or https:// URL'],
  ['^(whsec_', 'must be "whsec_" and the base64 of 24 to 64 random bytes'],
  ['^[^\\x00', 'must not be empty or hold control characters'],
]

/** Turns the validators' phrases into sentences that say what would be right. Order matters: the first that fits is taken. */
const PHRASES: [RegExp, (...parts: string[]) => string][] = [
  [/^must NOT have additional properties$/, () => 'is not a field of this call; leave it out or correct its name'],
  [/^must have required property/, () => 'is required'],
  [/^Unknown query parameter/, () => 'is not known to this call; leave it out or correct its name'],
  [/^must be equal to one of the allowed values: (.*?)\.?$/, (_all, values = '') => `must be one of ${values}`],
  [/^must match pattern "(.*)"$/s, (_all, pattern = '') => PATTERN_WORDS.find(([begins]) => pattern.startsWith(begins))?.[1] ?? `must match the pattern ${pattern}`],
  [/^must be (\w+)$/, (_all, type = '') => `must be ${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`],
  [/^must NOT have more than (\d+) (\w+)$/, (_all, limit = '', what = '') => `must have at most ${limit} ${what}`],
  [/^must NOT have fewer than (\d+) (\w+)$/, (_all, limit = '', what = '') => `must have at least ${limit} ${what}`],
]

/** The sentence of a fault, as `limit must be an integer`. */
export function sentenceOf(fault: ContractFault): string {
  return `${fault.name} ${wordsFor(fault.message)}`
}

/** The fault as an item of `details`. */
export function detailOf(fault: ContractFault): ErrorDetail {
  return { path: fault.path, message: wordsFor(fault.message) }
}

/** The faults that a compiled validator left, in the form that the rest of this file reads. */
export function faultsOfValidator(errors: readonly ValidatorError[]): ContractFault[] {
  return errors.map(({ instancePath, keyword, params, message = 'does not match the contract' }) => {
    const at = (property: string) => named(`${instancePath}/${property}`)
    if (keyword === 'required') return { ...at(String(params['missingProperty'])), message }
    if (keyword === 'discriminator') {
      const tag = String(params['tag'])
      return { ...at(tag), message: `must be equal to one of the allowed values: ${discriminatorValues[tag]?.join(', ') ?? ''}` }
    }
    if (keyword === 'additionalProperties') return { ...at(String(params['additionalProperty'])), message }
    if (keyword === 'enum') return { ...named(instancePath), message: `${message}: ${(params['allowedValues'] as string[]).join(', ')}` }
    return { ...named(instancePath), message }
  })
}

/** `/events/0/type` is called `events[0].type`. */
export function named(pointer: string): { name: string; path: string } {
  const name = pointer
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
  return { name: name === '' ? 'the body' : name, path: pointer }
}

function wordsFor(message: string): string {
  for (const [pattern, words] of PHRASES) {
    const match = pattern.exec(message)
    if (match) return words(...match)
  }
  return message
}
