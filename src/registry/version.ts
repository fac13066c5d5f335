import { invalid } from '../error.ts'
import type { ChangeKind, EventStatus } from './event-spec.ts'

/** MAJOR, MINOR and PATCH. */
export type VersionNumbers = readonly [major: number, minor: number, patch: number]

// What a 32-bit signed column or a sender's `int` holds.
const MAX_NUMBER = 2 ** 31 - 1
const SHAPE = /^(0|[1-9]\d{0,9})-(0|[1-9]\d{0,9})-(0|[1-9]\d{0,9})$/

/** Whether a text is a version: three numbers up to 2^31-1 without leading zeros, joined by dashes. */
export function isVersion(text: unknown): text is string {
  return typeof text === 'string' && numbersOf(text) !== undefined
}

/** Reads a version. @throws SignalbookError `invalid_request` that names `what` */
export function parseVersion(text: string, what = 'version'): VersionNumbers {
  const numbers = numbersOf(text)
  if (numbers) return numbers
  throw invalid(`${what} must be MAJOR-MINOR-PATCH, three numbers up to ${MAX_NUMBER} without leading zeros such as 1-0-2; got "${text.slice(0, 40)}"`)
}

/** As `parseVersion`, where only the refusal is wanted. */
export function assertVersion(text: string, what: string): void {
  parseVersion(text, what)
}

/** Orders versions by their numbers, the lower first: negative when `one` is the lower. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [parseVersion(one), parseVersion(other)]
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
}

/** The next version by one step. @throws SignalbookError `invalid_request` when the number is at its end */
export function bump(version: string, kind: ChangeKind): string {
  const [major, minor, patch] = parseVersion(version)
  const next: VersionNumbers = kind === 'MAJOR' ? [major + 1, 0, 0] : kind === 'MINOR' ? [major, minor + 1, 0] : [major, minor, patch + 1]
  const text = next.join('-')
  assertVersion(text, `the version after ${version}`)
  return text
}

/** The step between two different versions: their first number that differs. */
export function declaredKind(lower: string, higher: string): ChangeKind {
  const [a, b] = [parseVersion(lower), parseVersion(higher)]
  if (a[0] !== b[0]) return 'MAJOR'
  return a[1] !== b[1] ? 'MINOR' : 'PATCH'
}

/** The version that is meant when none is named: the highest active one, else the highest deprecated one. */
export function latestOf<T extends { version: string; status: EventStatus }>(versions: readonly T[]): T | undefined {
  return highest(versions, 'active') ?? highest(versions, 'deprecated')
}

function highest<T extends { version: string; status: EventStatus }>(versions: readonly T[], status: EventStatus): T | undefined {
  let found: T | undefined
  for (const candidate of versions) {
    if (candidate.status === status && (!found || compareVersions(candidate.version, found.version) > 0)) found = candidate
  }
  return found
}

function numbersOf(text: string): VersionNumbers | undefined {
  const match = SHAPE.exec(text)
  if (!match) return undefined
  const numbers: VersionNumbers = [Number(match[1]), Number(match[2]), Number(match[3])]
  return numbers.every((number) => number <= MAX_NUMBER) ? numbers : undefined
}
