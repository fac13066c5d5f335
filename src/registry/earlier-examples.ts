import { SignalbookError } from '../error.ts'
import type { ErrorDetail } from '../error.ts'
import { exampleFaults } from './check-examples.ts'
import type { EventSpec } from './event-spec.ts'
import { compareVersions, parseVersion } from './version.ts'

/** An example with the version that promised it. */
interface Promised {
  example: unknown
  version: string
}

/**
 * Holds a version against the examples of the earlier versions of its MAJOR line: what they called valid must still pass,
 * and what they called invalid must still be refused. Only a new MAJOR may break such a promise.
 * @throws SignalbookError `invalid_request` naming each example, its version, and why
 */
export function assertEarlierExamples(spec: EventSpec, existing: readonly EventSpec[]): void {
  const line = existing.filter((earlier) => isEarlierInLine(earlier, spec))
  const valid = promisedBy(line, 'valid')
  const invalid = promisedBy(line, 'invalid')
  const faults = exampleFaults({ ...spec, examples: { valid: valid.map(({ example }) => example), invalid: invalid.map(({ example }) => example) } })
  if (faults.length === 0) return
  const details = faults.map((fault) => nameOrigin(fault, valid, invalid))
  throw new SignalbookError(
    'invalid_request',
    `${spec.version} breaks an example of an earlier version of its line: ${details[0]?.message ?? ''}; keep the promise, or publish a new MAJOR version`,
    { details },
  )
}

function isEarlierInLine(earlier: EventSpec, spec: EventSpec): boolean {
  return earlier.status !== 'draft' && parseVersion(earlier.version)[0] === parseVersion(spec.version)[0] && compareVersions(earlier.version, spec.version) < 0
}

/** Examples without repetitions: every version of a line usually carries those of the one before. */
function promisedBy(line: readonly EventSpec[], kind: 'valid' | 'invalid'): Promised[] {
  const promised = new Map<string, Promised>()
  for (const { version, examples } of line) {
    for (const example of examples?.[kind] ?? []) promised.set(JSON.stringify(example), { example, version })
  }
  return [...promised.values()]
}

function nameOrigin(fault: ErrorDetail, valid: Promised[], invalid: Promised[]): ErrorDetail {
  const [, , kind, index] = fault.path.split('/')
  const origin = (kind === 'valid' ? valid : invalid)[Number(index)]
  const shown = JSON.stringify(origin?.example).slice(0, 200)
  return { path: fault.path, message: `the example ${shown} of version ${origin?.version ?? ''} ${fault.message}` }
}
