import { expect } from 'chai'
import fc from 'fast-check'
import { boundedPattern } from '../../src/registry/bounded-pattern.ts'
import { explainUnsafePattern, judgePattern } from '../../src/registry/unsafe-pattern.ts'
import { shortestTime } from './shortest-time.ts'

const lines = (text: string): string[] => text.trim().split('\n').map((line) => line.trim())

// Taken from specs and from the answers that people copy into them.
const LINEAR = lines(String.raw`
  ^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$
  ^[\w-]+(\.[\w-]+)*@[\w-]+(\.[\w-]+)+$
  ^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$
  ^[a-z]+(-[a-z]+)*$
  ^[a-z0-9]+(?:[_-][a-z0-9]+)*$
  ^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$
  ^\d{4}-\d{2}-\d{2}$
  ^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$
  ^\+?[1-9]\d{1,14}$
  ^\+?[0-9 ()-]{7,20}$
  ^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$
  ^https?://
  ^https?://[^\s/$.?#].[^\s]*$
  ^(https?|ftp)://[^\s/]+(/[^\s]*)?$
  ^[A-Z]{3}$
  ^[a-z]{2}(-[A-Z]{2})?$
  ^((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$
  ^(([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,7}:|([0-9a-fA-F]{1,4}:){1,6}:[0-9a-fA-F]{1,4})$
  ^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$
  ^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$
  ^data:image/(png|jpe?g);base64,[A-Za-z0-9+/]+={0,2}$
  ^-?\d{1,3}(,\d{3})*(\.\d+)?([eE][+-]?\d+)?$
  ^M{0,4}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})$
  ^\p{L}+(?:[\s'-]\p{L}+)*$
  ^\S+\s+\S+\s+\S+$
  ^[一-龥ぁ-ん]+ [\u{1F600}-\u{1F64F}\uD83D\uDE80]+$
  ^(?<year>\d{4})/(?<rest>.*)$
  ^.{1,1000}$
  ^(foo|bar|baz)$
  ^(a|ab)*$
  ^$|^\d+$
  foo|bar
  @example\.com$
  [0-9]+
  .*
`)

const QUADRATIC = lines(String.raw`
  ^[^@\s]+@[^@\s]+\.[^@\s]+$
  ^[^@]+@[^@]+\.[^@]+$
  ^[A-Za-z0-9-_=]+\.[A-Za-z0-9-_=]+\.?[A-Za-z0-9-_.+/=]*$
  ^.*,.*$
  ^\s*\s*$
  [A-Z]+\d
  ^\s+|\s+$
  \w*$\w
  \b\w+
`)

const REFUSED: [pattern: string, reason: RegExp][] = [
  ...lines(String.raw`
    ^(a+)+$
    ^(a+)+
    (a+)+$
    ^(a*)*$
    (.*)*
    ^(.*)*$
    ^(a|a)*$
    ^(a|a?)+$
    ^(a|b|ab)*c$
    ^([a-zA-Z]+)*$
    ^([a-z]+)*-
    ^(\w+\s?)*$
    ^(\d+|\d*\.\d+)+$
    ^/([a-z0-9_-]+/?)*$
    (x+x+)+y
    ^(.*a){12}$
    ^(([a-z]{40})|([a-z]{40}))*$
    ^(\u0061|a)*$
    ^(é|[^a])*$
    ^(?:(|[^a])+a){1,20}$
    ^(\uD83D\uDE00+)+$
  `).map((pattern): [string, RegExp] => [pattern, /because \(.* can match the same text in many ways/]),
  ...lines(String.raw`
    ^a*a*a*a*$
    ^\s*\s*\s*x
    ^.*,.*,.*$
    ^\s+.*\s+$
    \s*\s*
  `).map((pattern): [string, RegExp] => [pattern, /several of its repetitions can match the same characters/]),
  ['^(a?){30}a{30}$', /backtrack without bound/],
  ['^(|){25}$', /backtrack without bound/],
  ['^(?:(?:|){25}[^\\s\\S])', /backtrack without bound/],
  ['^.{1,10000}$', /bound the length with maxLength/],
  ['^((a{1,50}){1,50}){1,50}$', /too large/],
  ['^((){1000}){1000}$', /too large/],
  ['(a)\\1', /back-reference "\\1"/],
  ['(?<x>a)\\k<x>', /back-reference/],
  ['^(?=a)', /look-around/],
  ['^(?!a)', /look-around/],
  ['(?<=a)b', /look-around/],
  ['(?<!a)b', /look-around/],
  ['(?i:a)', /write both cases out/],
  ['[a-z', /Unterminated character class/],
  ['a{2', /u flag/],
  ['^[]]+$', /u flag/],
  ['\\_', /u flag/],
  ['a'.repeat(1001), /1001 characters; at most 1000/],
]

describe('explainUnsafePattern', () => {
  it('accepts what specs need, on texts of any length where the time is linear', () => {
    for (const pattern of LINEAR) expect(judgePattern(pattern), pattern).to.deep.equal({ maxTextLength: Infinity })
  })

  it('accepts what is quadratic, on texts of 1,000 to 2,000 characters', () => {
    for (const pattern of QUADRATIC) expect(judgePattern(pattern), pattern).to.have.property('maxTextLength').that.is.within(1000, 2000)
    expect(judgePattern('a+!')).to.deep.equal({ maxTextLength: 2000 })
    expect(judgePattern('(|a)*!'), 'a loop that also tries to match nothing').to.deep.equal({ maxTextLength: 1000 })
  })

  it('refuses what can backtrack without bound, and says why', () => {
    for (const [pattern, reason] of REFUSED) expect(explainUnsafePattern(pattern), pattern).to.match(reason)
  })

  it('is right about those it refuses: the clearest of them do hang', () => {
    for (const pattern of ['^(a+)+$', '^(a|a)*$', '^(a*)*$', '^(\\w+\\s?)*$']) {
      const time = (length: number): number => timeOf(new RegExp(pattern, 'u'), `${'a'.repeat(length)}!`)
      expect(time(20) / Math.max(time(10), 0.01), pattern).to.be.above(50)
    }
  })

  it('answers within half a second, whatever it is asked', () => {
    const hostile = ['a?'.repeat(500), '(a|b){0,30}'.repeat(90), `${'(?:'.repeat(240)}a${')*'.repeat(240)}`, '.*a.{20}'.repeat(100), '[^a]{0,9}'.repeat(100), '^[ab]*a[ab]{25}$', '\\p{L}'.repeat(199), `(${'ab?|'.repeat(240)})*`, `^(${Array.from({ length: 240 }, (_, index) => `${String.fromCodePoint(0x4e00 + index)}x?`).join('|')})*$`]
    for (const pattern of hostile) {
      expect(shortestTime(() => judgePattern(pattern), 100), pattern.slice(0, 40)).to.be.below(500)
    }
  })

  it('accepts only patterns that take under 50 ms on hostile texts of 10,000 characters', () => {
    let accepted = 0
    fc.assert(
      fc.property(randomPattern, hostileText, (pattern, { lead, unit, tail }) => {
        const verdict = judgePattern(pattern)
        if ('fault' in verdict) return
        accepted += 1
        const expression = boundedPattern(pattern, 'u')
        for (const length of [10_000, Math.min(verdict.maxTextLength, 10_000)]) {
          const middle = length - lead.length - tail.length
          const text = lead + unit.repeat(Math.ceil(middle / unit.length)).slice(0, middle) + tail
          expect(timeOf(expression, text), `${pattern} on ${JSON.stringify([lead, unit, tail])}`).to.be.below(50)
        }
      }),
      { numRuns: 1500 },
    )
    expect(accepted).to.be.above(400)
  })

  it('accepts the named patterns only because they are that fast', () => {
    const units = ['a', '1', '.', '-', 'a.', '.a', 'a-', 'a@', '@', ' ', 'a ', '/', 'aA', ',', '0', ':', 'a:', '一', '+', 'é']
    for (const pattern of [...LINEAR, ...QUADRATIC]) {
      const expression = boundedPattern(pattern, 'u')
      const verdict = judgePattern(pattern) as { maxTextLength: number }
      for (const lead of ['', 'a@', '1.1.1-', 'http://', 'data:image/png;base64,', '#', '+']) {
        for (const unit of units) {
          for (const length of [10_000, Math.min(verdict.maxTextLength, 10_000)]) {
            expect(timeOf(expression, `${lead}${unit.repeat(length)}`.slice(0, length - 1) + '\n'), `${pattern} on ${lead}(${unit})*`).to.be.below(50)
          }
        }
      }
    }
  })
})

function timeOf(expression: { test(text: string): boolean }, text: string): number {
  return shortestTime(() => expression.test(text), 25)
}

const hostileText = fc.record({
  lead: fc.string({ unit: fc.constantFrom('a', 'b', '-', '1'), maxLength: 3 }),
  unit: fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-', '1', ' ', 'é'), minLength: 1, maxLength: 5 }),
  tail: fc.constantFrom('~', '', '\n'),
})

const quantifier = fc.constantFrom('', '*', '+', '?', '{0,3}', '{2}', '{1,20}', '{2,}', '*?')
const { node } = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('a', 'b', 'c', '-', '\\d', '\\w', '[ab]', '[^a]', '.', '\\s', '[^-]', '\\b', 'é'),
    fc.tuple(tie('node'), tie('node')).map((parts) => parts.join('')),
    fc.tuple(tie('node'), tie('node'), tie('node')).map((parts) => parts.join('')),
    fc.tuple(tie('node'), tie('node'), quantifier).map(([one, other, times]) => `(${one}|${other})${times}`),
    fc.tuple(tie('node'), quantifier).map(([one, times]) => `(?:${one})${times}`),
    fc.tuple(tie('node'), quantifier).map(([one, times]) => `(|${one})${times}`),
  ),
}))
const randomPattern = fc.tuple(fc.constantFrom('', '^', '^'), node, fc.constantFrom('', '$', '$', '!')).map((parts) => parts.join(''))
