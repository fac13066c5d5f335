import type { Change, ChangeKind } from '../event-spec.ts'

const SEVERITY: Readonly<Record<ChangeKind, number>> = { MAJOR: 0, MINOR: 1, PATCH: 2 }

/** Sorts the most severe first, then by path, and what is left by rule and wording, so that the order is always the same. */
export function sortChanges(changes: readonly Change[]): Change[] {
  return changes.toSorted(
    (one, other) =>
      SEVERITY[one.kind] - SEVERITY[other.kind] ||
      compareText(one.path, other.path) ||
      compareText(one.rule, other.rule) ||
      compareText(one.description, other.description),
  )
}

// Not by locale, which would differ from machine to machine.
function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
