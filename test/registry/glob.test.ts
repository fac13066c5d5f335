import { expect } from 'chai'
import fc from 'fast-check'
import { compileGlobs, explainBadGlob } from '../../src/registry/glob.ts'
import { shortestTime } from './shortest-time.ts'

function matches(pattern: string, event: string): boolean {
  const [namespace, name] = event.split('/') as [string, string]
  return compileGlobs([pattern])(namespace, name)
}

describe('globs over namespace/name', () => {
  it('match as section 5 of the decisions says', () => {
    const table: [pattern: string, matched: string[], others: string[]][] = [
      ['**', ['shop/order', 'shop.web/order'], []],
      ['shop/**', ['shop/order', 'shop/order.paid'], ['shop.web/order', 'shopping/order', 'sho/order']],
      ['shop/*', ['shop/order', 'shop/order.paid'], ['shop.web/order']],
      ['shop/order', ['shop/order'], ['shop/orders', 'shop/orde', 'shop.web/order']],
      ['shop.web/**', ['shop.web/order'], ['shop/order', 'shop.web.eu/order', 'shopxweb/order']],
      ['shop.*/**', ['shop.web/order', 'shop.web.eu/order'], ['shop/order']],
      ['shop/checkout_*', ['shop/checkout_', 'shop/checkout_started'], ['shop/checkout', 'shop/my_checkout_started']],
      ['shop/*_*_*', ['shop/a_b_c', 'shop/__'], ['shop/a_b']],
      ['*/order', ['shop/order', 'web/order'], ['shop/orders']],
      ['**/order', ['shop/order', 'a.b/order'], ['shop/orders']],
      ['s*p/*d*', ['shop/order', 'sp/d'], ['shop/ore']],
      ['Shop/**', [], ['shop/order']],
    ]
    for (const [pattern, matched, others] of table) {
      for (const event of matched) expect(matches(pattern, event), `${pattern} on ${event}`).to.equal(true)
      for (const event of others) expect(matches(pattern, event), `${pattern} on ${event}`).to.equal(false)
    }
  })

  it('allow every event when there are none, and each event that one of several matches', () => {
    expect(compileGlobs([])('any', 'thing')).to.equal(true)
    const allows = compileGlobs(['shop/order', 'web/**'])
    expect([allows('shop', 'order'), allows('web', 'page'), allows('shop', 'cart')]).to.deep.equal([true, true, false])
  })

  it('agree with a regular expression', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), minLength: 1, maxLength: 8 })
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(part, part, text, text, (namespacePattern, namePattern, namespace, name) => {
        const expression = (pattern: string): RegExp => new RegExp(`^${pattern.replaceAll('.', '\\.').replace(/\*+/g, '.*')}$`)
        expect(matches(`${namespacePattern}/${namePattern}`, `${namespace}/${name}`)).to.equal(expression(namespacePattern).test(namespace) && expression(namePattern).test(name))
      }),
      { numRuns: 2000 },
    )
  })

  it('take no time on patterns that make other matchers hang', () => {
    const allows = compileGlobs([`ns/${'*a'.repeat(49)}*b`])
    expect(allows('ns', 'a'.repeat(100))).to.equal(false)
    expect(shortestTime(() => allows('ns', 'a'.repeat(100)))).to.be.below(5)
  })

  it('are refused with a sentence when they cannot mean anything', () => {
    for (const pattern of ['**', 'shop/**', 'shop.*/**', 'a-b_c.d/*', `${'n'.repeat(100)}/${'e'.repeat(100)}`]) expect(explainBadGlob(pattern), pattern).to.equal(undefined)
    const refused: [string, RegExp][] = [
      ['', /one slash/],
      ['*', /one slash/],
      ['shop', /one slash/],
      ['shop/a/b', /one slash/],
      ['shop/', /a name after/],
      ['/order', /a namespace before/],
      ['shop/{a,b}', /one pattern for each/],
      ['shop/[ab]', /letters, digits/],
      ['!shop/**', /letters, digits/],
      ['shop/a?', /letters, digits/],
      ['shop/a b', /letters, digits/],
      ['shop/é', /letters, digits/],
      ['shop/a\n', /letters, digits/],
      [`shop/${'a'.repeat(200)}`, /205 characters, at most 201/],
    ]
    for (const [pattern, reason] of refused) expect(explainBadGlob(pattern), JSON.stringify(pattern)).to.match(reason)
  })
})
