import { parseRegex } from '../../regex-syntax.ts'
import type { RegexNode } from '../../regex-syntax.ts'

// Tried in this order for each atom, so that samples read like words where the pattern lets them.
const CHARACTERS: readonly string[] = [...'abA0-_.@/ cdefghijklmnopqrstuvwxyzBCDEFGHIJKLMNOPQRSTUVWXYZ123456789', ...':,;+*#%&=?!$^~|"\'`()[]{}<>\\\t\n', 'é', 'ß', '中', '🙂']
const EXTRA_REPEATS: readonly number[] = [0, 1, 2, 5, 9, 20]
const MAX_LENGTH = 300

/**
 * Writes a few strings that match a pattern, short ones first.
 * @returns none for a pattern with parts that cannot be written backwards, such as look-around
 */
export function sampleRegex(pattern: string): string[] {
  try {
    const expression = new RegExp(pattern, 'u')
    const regex = parseRegex(pattern)
    const texts = [0, 1, 2].flatMap((turn) => EXTRA_REPEATS.map((extra) => write(regex, { turn, extra })))
    return [...new Set(texts)].filter((text) => text.length <= MAX_LENGTH && expression.test(text))
  } catch {
    return [] // not a pattern that this can read; the witness search goes on without
  }
}

interface Choice {
  /** Which of the alternatives, and of the characters, is taken. */
  turn: number
  /** How often beyond the least a repetition repeats. */
  extra: number
}

function write(node: RegexNode, choice: Choice): string {
  switch (node.kind) {
    case 'assertion':
      return ''
    case 'character':
      return characterFor(node.source, choice.turn)
    case 'sequence':
      return node.items.map((item) => write(item, choice)).join('')
    case 'choice':
      return write(node.items[choice.turn % node.items.length] as RegexNode, choice)
    case 'repeat': {
      const text = write(node.item, choice)
      const count = Math.min(node.min + choice.extra, node.max)
      return text.length * count > MAX_LENGTH ? text.repeat(node.min) : text.repeat(count)
    }
  }
}

function characterFor(source: string, turn: number): string {
  const expression = new RegExp(`^(?:${source})$`, 'u')
  const matching = CHARACTERS.filter((character) => expression.test(character))
  return matching[turn % Math.max(matching.length, 1)] ?? ''
}
