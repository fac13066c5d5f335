import { readdirSync, readFileSync } from 'node:fs'
import type { Change, EventSpec } from '../../../../src/registry/event-spec.ts'

/** One file of the corpus. */
export interface CorpusCase {
  rule: string
  direction: string
  from: EventSpec
  to: EventSpec
  history?: EventSpec[]
  expected: Pick<Change, 'rule' | 'kind' | 'field' | 'path' | 'breaks'>[]
}

const FOLDER = new URL('../corpus/', import.meta.url)

export function readCorpus(): CorpusCase[] {
  const rules = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return rules.flatMap(({ name: rule }) =>
    readdirSync(new URL(`${rule}/`, FOLDER)).map((file) => ({
      rule,
      direction: file.replace('.json', ''),
      ...(JSON.parse(readFileSync(new URL(`${rule}/${file}`, FOLDER), 'utf8')) as Omit<CorpusCase, 'rule' | 'direction'>),
    })),
  )
}
