import type { Pair } from './comparison.ts'
import { own } from './own.ts'

// How much harm a value of the class does in the wrong hands. Classes of one rank differ in kind, not in degree.
const RANK: Readonly<Record<string, number>> = { none: 0, id: 1, name: 2, ip: 2, email: 2, phone: 2, address: 2, sensitive: 3 }

/** Rules `privacy.*`: a personal value that is marked less personal, or hashed no more, reaches tools that must not see it. */
export function comparePrivacy({ from, to, report }: Pair): void {
  const before = classOf(from.annotations['pii'])
  const after = classOf(to.annotations['pii'])
  const isLower = rankOf(after) < rankOf(before)
  if (before !== after) {
    report({
      rule: isLower ? 'privacy.pii-weakened' : 'privacy.pii-changed',
      ...(isLower ? { kind: 'MAJOR' as const, breaks: { consumers: true }, shownBy: 'definition' as const } : {}),
      says: `pii changed from ${before} to ${after}`,
      from: before,
      to: after,
    })
  }
  const isHashed = { from: isOn(from.annotations['hash']), to: isOn(to.annotations['hash']) }
  if (isHashed.from && !isHashed.to) {
    report({ rule: 'privacy.pii-weakened', kind: 'MAJOR', breaks: { consumers: true }, shownBy: 'definition', says: 'is no longer hashed', from: true, to: false })
  } else if (from.annotations['hash'] !== to.annotations['hash']) {
    report({ rule: 'privacy.pii-changed', says: 'hash changed', from: from.annotations['hash'], to: to.annotations['hash'] })
  }
}

function classOf(pii: unknown): string {
  return typeof pii === 'string' ? pii : 'none'
}

function rankOf(pii: string): number {
  return own(RANK, pii) ?? 2
}

function isOn(flag: unknown): boolean {
  return flag !== undefined && flag !== false && flag !== 'none'
}
