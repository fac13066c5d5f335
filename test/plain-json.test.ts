import { expect } from 'chai'
import fc from 'fast-check'
import { SignalbookError } from '../src/error.ts'
import { MAX_DEPTH, assertFewContainers, assertPlainJson, pointerStep } from '../src/plain-json.ts'

/** What the check says of a JSON text, `undefined` when it lets it through. */
function refusalOf(json: string): SignalbookError | undefined {
  try {
    assertPlainJson(JSON.parse(json))
    return undefined
  } catch (error) {
    expect(error).to.be.instanceOf(SignalbookError)
    return error as SignalbookError
  }
}

const nested = (levels: number, open: string, close: string) => open.repeat(levels) + '1' + close.repeat(levels)

describe('assertPlainJson', () => {
  it('lets through whatever JSON says within the bounds', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const json = JSON.stringify(value)
        fc.pre(!/"(__proto__|constructor|prototype)":/.test(json))
        expect(refusalOf(json)).to.equal(undefined)
      }),
    )
  })

  it(`lets ${MAX_DEPTH} levels through and refuses one more, for objects and for arrays`, () => {
    for (const [open, close] of [['{"a":', '}'], ['[', ']']] as const) {
      expect(refusalOf(nested(MAX_DEPTH, open, close)), open).to.equal(undefined)
      expect(refusalOf(nested(MAX_DEPTH + 1, open, close))?.message, open).to.contain(`deeper than ${MAX_DEPTH} levels`)
    }
  })

  it('refuses an empty object or array below the last level as well', () => {
    expect(refusalOf('['.repeat(MAX_DEPTH) + '{}' + ']'.repeat(MAX_DEPTH))?.message).to.contain('nested deeper')
    expect(refusalOf('['.repeat(MAX_DEPTH - 1) + '{}' + ']'.repeat(MAX_DEPTH - 1))).to.equal(undefined)
  })

  it('answers 20,000 levels with a sentence and not with the end of the stack', () => {
    const refusal = refusalOf(nested(20_000, '{"a":', '}'))
    expect(refusal?.code).to.equal('invalid_request')
    expect(refusal?.details?.[0]?.path.length).to.be.at.most(200)
  })

  for (const key of ['__proto__', 'constructor', 'prototype']) {
    it(`refuses the key ${key} at any depth and points at it`, () => {
      expect(refusalOf(`{"${key}":1}`)?.details).to.deep.equal([{ path: `/${key}`, message: 'reserved key' }])
      expect(refusalOf(`{"a":[{"b":{"${key}":null}}]}`)?.details?.[0]?.path).to.equal(`/a/0/b/${key}`)
    })

    it(`lets the text ${key} through as a value`, () => {
      expect(refusalOf(`{"a":"${key}","b":["${key}"]}`)).to.equal(undefined)
    })
  }

  for (const number of ['1e999', '-1e999', '1e309', '9'.repeat(400)]) {
    it(`refuses the number ${number.slice(0, 12)}, which would be stored as null`, () => {
      const refusal = refusalOf(`{"a":[1,{"b":${number}}]}`)
      expect(refusal?.message).to.contain('/a/1/b').and.to.contain('64-bit')
      expect(refusal?.details).to.deep.equal([{ path: '/a/1/b', message: 'not a finite number' }])
    })
  }

  it('refuses a number without bounds at the very top', () => {
    expect(refusalOf('1e999')?.message).to.contain('the number at /')
  })

  it('lets the largest and the smallest numbers through', () => {
    expect(refusalOf(`[${Number.MAX_VALUE},${-Number.MAX_VALUE},${Number.MIN_VALUE},-0]`)).to.equal(undefined)
  })

  it('looks at 200,000 values in under a second', () => {
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key${index}`, [index]])))
    const startedAt = performance.now()
    expect(refusalOf(wide)).to.equal(undefined)
    expect(performance.now() - startedAt).to.be.lessThan(1000)
  })

  it('keeps its answer short, however long the key is', () => {
    const long = 'k'.repeat(500_000)
    for (const json of [`{"${long}":1e999}`, `{"${long}":{"__proto__":1}}`]) {
      const refusal = refusalOf(json)
      expect(refusal?.message.length, 'the sentence').to.be.lessThan(1000)
      expect(refusal?.details?.[0]?.path.length, 'the path').to.be.lessThan(1000)
    }
  })
})

describe('pointerStep', () => {
  it('escapes as RFC 6901 says, in the right order', () => {
    expect(pointerStep('a/b')).to.equal('/a~1b')
    expect(pointerStep('m~n')).to.equal('/m~0n')
    expect(pointerStep('~1')).to.equal('/~01')
    expect(pointerStep('')).to.equal('/')
    expect(pointerStep(7)).to.equal('/7')
  })
})

describe('assertFewContainers', () => {
  const listOf = (item: string, count: number) => Buffer.from(`[${Array<string>(count).fill(item).join(',')}]`)

  it('takes up to 100,000 objects and arrays, and as many braces in strings as there may be', () => {
    expect(() => assertFewContainers(listOf('{}', 99_999))).not.to.throw()
    expect(() => assertFewContainers(listOf('"[{\\"{[\\\\"', 150_000))).not.to.throw()
  })

  it('refuses one more, also after a string that ends in a backslash', () => {
    expect(() => assertFewContainers(listOf('{}', 100_000))).to.throw('the body holds 100001 objects and arrays; at most 100000 are allowed')
    expect(() => assertFewContainers(listOf('["\\\\"]', 100_000))).to.throw('100001')
  })
})
