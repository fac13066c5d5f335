import type { Pair } from './comparison.ts'
import { breaksAnyone } from './finding.ts'

/** Rule `comb.if-then-else`. `then` and `else` each say something about the values that `if` chooses for them. */
export function compareConditionals(pair: Pair): void {
  const from = pair.from.keywords
  const to = pair.to.keywords
  if (!('if' in from) && !('if' in to)) return
  if (!('if' in from)) return pair.report({ rule: 'comb.if-then-else', breaks: { producers: true }, says: 'condition added', to: to['if'] })
  if (!('if' in to)) return pair.report({ rule: 'comb.if-then-else', breaks: { consumers: true }, says: 'condition removed', from: from['if'] })
  if (breaksAnyone(pair.compare(from['if'], to['if']).breaks)) {
    pair.report({ rule: 'comb.if-then-else', breaks: { producers: true, consumers: true }, says: 'condition changed', from: from['if'], to: to['if'] })
  }
  pair.descendForNotes({ to: 'branch', keyword: 'if' }, from['if'], to['if'])
  for (const keyword of ['then', 'else']) compareConsequence(pair, keyword)
}

function compareConsequence(pair: Pair, keyword: string): void {
  const from = pair.from.keywords[keyword]
  const to = pair.to.keywords[keyword]
  if (from !== undefined && to !== undefined) {
    pair.descendAs('comb.if-then-else', { to: 'branch', keyword }, from, to)
    return
  }
  const { breaks } = pair.compare(from ?? true, to ?? true)
  if (breaksAnyone(breaks)) pair.report({ rule: 'comb.if-then-else', breaks, says: `${keyword} ${from === undefined ? 'added' : 'removed'}`, from, to })
}
