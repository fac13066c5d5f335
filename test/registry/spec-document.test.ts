import { expect } from 'chai'
import fc from 'fast-check'
import { dump } from 'js-yaml'
import { SignalbookError } from '../../src/error.ts'
import { readSpecDocument } from '../../src/registry/spec-document.ts'
import { shortestTime } from './shortest-time.ts'

function refusal(text: string, mediaType: 'json' | 'yaml'): string {
  let refused: unknown
  const time = shortestTime(() => {
    try {
      readSpecDocument(text, mediaType)
      refused = undefined
    } catch (error) {
      refused = error
    }
  }, 500)
  expect(time, 'time to refuse').to.be.below(1000)
  expect(refused).to.be.instanceOf(SignalbookError).with.property('code', 'invalid_request')
  return (refused as SignalbookError).message
}

const BOMB = ['a: &a [x, x, x, x, x, x, x, x, x]', ...'bcdefghi'.split('').map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(', ')}]`)].join('\n')

const HOSTILE: [name: string, text: string, reason: RegExp][] = [
  ['an alias bomb', BOMB, /line 1, column 4: anchors/],
  ['an alias', 'a: 1\nb: *a', /line 2, column 4: aliases/],
  ['an anchor that is never used', 'a: &x 1', /line 1, column 4: anchors/],
  ['an anchor on the root', '&root\na: 1', /line 1, column 1: anchors/],
  ['a merge key', 'a: 1\n<<: {b: 2}', /line 2, column 1: merge keys/],
  ['a tag of js', 'a: !!js/function "function () {}"', /line 1, column 4: unknown scalar tag/],
  ['a local tag', 'a: !secret x', /line 1, column 4: unknown scalar tag/],
  ['a binary', 'a: !!binary aGVsbG8=', /unknown scalar tag/],
  ['a time with its tag', 'a: !!timestamp 2026-01-01', /unknown scalar tag/],
  ['a set', 'a: !!set {x, y}', /unknown mapping tag/],
  ['an ordered map', 'a: !!omap [x: 1]', /unknown sequence tag/],
  ['several documents', 'a: 1\n---\nb: 2', /line 3, column 1: a second document/],
  ['20,000 levels of lists', '['.repeat(20_000), /deeper than 32 levels/],
  ['20,000 levels of maps', '{a: '.repeat(20_000), /deeper than 32 levels/],
  ['a million list items in one another', '- '.repeat(500_000), /deeper than 32 levels/],
  ['33 levels', `${'{"a": '.repeat(33)}1${'}'.repeat(33)}`, /deeper than 32 levels/],
  ['duplicate keys', 'a: 1\na: 2', /line 2, column 1: duplicated mapping key; write each key once/],
  ['a tab for indentation', 'a:\n\tb: 1', /line 2, column 1: tab characters.*indent with spaces/],
  ['a NUL byte', 'a: "x\u0000y"', /line 1, column 6: null byte/],
  ['a key that reaches a prototype', '__proto__: {polluted: true}', /"__proto__"/],
  ['a nested one', 'properties: {constructor: {}}', /"constructor"/],
  ['a number of 400 digits', `a: ${'9'.repeat(400)}`, /line 1, column 4: the number is not finite/],
  ['a number beyond the range', 'a: 1e999', /the number is not finite/],
  ['infinity', 'a: [1, -.inf]', /line 1, column 8: the number is not finite/],
  ['not a number', 'a: .NaN', /the number is not finite/],
  ['a number as a key', '404: a', /line 1, column 1: the key 404 must be a string/],
  ['a boolean as a key', 'a: {true: 1}', /the key true must be a string/],
  ['null as a key', 'null: a', /the key null must be a string/],
  ['a list as a key', '[a, b]: c', /a key must be a string/],
  ['a map as a key', '? {a: b}\n: c', /a key must be a string/],
  ['an empty document', '', /line 1, column 1: the body is empty/],
  ['only comments', '# nothing\n', /the body is empty/],
  ['only a marker', '---\n', /must be an object.*got null/],
  ['a scalar', 'hello', /must be an object.*got a string/],
  ['a list', '- a', /must be an object.*got a list/],
  ['an unclosed string', 'a: "x', /line 1, column 6/],
  ['a million of stars', '*'.repeat(1_000_000), /line 1/],
  ['a quarter of a million documents', '---\n'.repeat(250_000), /a second document/],
]

describe('readSpecDocument', () => {
  for (const [name, text, reason] of HOSTILE) {
    it(`refuses ${name} in YAML within a second`, () => {
      expect(refusal(text, 'yaml')).to.match(reason)
    })
  }

  it('reads the core schema of YAML 1.2', () => {
    const text = '\ufeff# comment\n%YAML 1.2\n---\n'.slice(1)
    expect(readSpecDocument(`${text}a: yes\nb: 2026-01-01\nc: 0x1F\nd: ~\ne: 1_000\nf: !!str 1\ng: |\n  x\n  y\n"1": {"<": [true, 1.5]}\n`, 'yaml')).to.deep.equal({
      a: 'yes',
      b: '2026-01-01',
      c: 31,
      d: null,
      e: '1_000',
      f: '1',
      g: 'x\ny\n',
      1: { '<': [true, 1.5] },
    })
  })

  it('reads 32 levels, and a byte order mark before the text', () => {
    const deep = `${'{"a": '.repeat(32)}1${'}'.repeat(32)}`
    for (const mediaType of ['json', 'yaml'] as const) expect(readSpecDocument(`\ufeff${deep}`, mediaType)).to.deep.equal(JSON.parse(deep))
  })

  it('refuses in JSON what it refuses in YAML', () => {
    for (const [text, reason] of [['{', /not valid JSON/], ['[]', /got a list/], ['null', /got null/], ['{"__proto__": 1}', /"__proto__"/], ['{"a": 1e999}', /too large/], [`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, /32 levels/]] as const) {
      expect(refusal(text, 'json')).to.match(reason)
    }
  })

  it('reads 300 random specs equal from YAML and from JSON', () => {
    const key = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((name) => !['__proto__', 'constructor', 'prototype', '<<'].includes(name))
    const scalar = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('yes', 'null', '~', '1', '1e3', '.inf', '2026-01-01', '', ' x ', 'a: b', '# x', '- a', '&a', '*a', '!x', '<<', "it's", '"', 'x\ny', '\u2028', '\ufeff'), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)), fc.boolean(), fc.constant(null))
    const { definition } = fc.letrec((tie) => ({
      definition: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalar, fc.array(tie('definition'), { maxLength: 4 }), fc.dictionary(key, tie('definition'), { maxKeys: 4 })),
    }))
    const spec = fc.record({ namespace: fc.string(), name: fc.string(), description: fc.string({ unit: 'grapheme' }), properties: fc.dictionary(key, definition) })
    fc.assert(
      fc.property(spec, fc.record({ flowLevel: fc.constantFrom(-1, 0, 2), quoteStyle: fc.constantFrom('single' as const, 'double' as const), lineWidth: fc.constantFrom(-1, 20, 80) }), (document, style) => {
        const json = JSON.stringify(document)
        expect(readSpecDocument(dump(document, { noRefs: true, ...style }), 'yaml')).to.deep.equal(readSpecDocument(json, 'json'))
        expect(readSpecDocument(json, 'yaml')).to.deep.equal(JSON.parse(json))
      }),
      { numRuns: 300 },
    )
  })
})
