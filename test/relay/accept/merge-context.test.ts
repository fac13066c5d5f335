import { expect } from 'chai'
import fc from 'fast-check'
import type { CanonicalEvent } from '../../../src/destinations/canonical-event.ts'
import { accepting, track } from '../support/accepting.ts'

const id = fc.option(fc.constantFrom('', 'a', 'b', 'c'), { nil: undefined })
const attributes = fc.option(fc.dictionary(fc.constantFrom('k1', 'k2', 'k3', 'toString', 'valueOf'), fc.oneof(fc.integer(), fc.constant(null), fc.dictionary(fc.string(), fc.integer()))), { nil: undefined })
const context = fc.option(fc.record({ user_id: id, anonymous_id: fc.option(id, { nil: null }), attributes }), { nil: undefined })

type Context = { user_id?: string | undefined; anonymous_id?: string | null | undefined; attributes?: Record<string, unknown> | undefined } | undefined

/** The rule as it stands in the interface, spelled out field by field. */
function reference(batch: Context, item: Context) {
  const pick = (own: string | null | undefined, fallback: string | null | undefined) => (own ? own : fallback ? fallback : undefined)
  const merged = new Map<string, unknown>()
  for (const each of [batch, item]) for (const [key, value] of Object.entries(each?.attributes ?? {})) merged.set(key, value)
  return { user: pick(item?.user_id, batch?.user_id), anonymous: pick(item?.anonymous_id, batch?.anonymous_id), attributes: Object.fromEntries(merged) }
}

describe('merging the context of a batch with that of an item', () => {
  it('agrees with the reference for 200 random pairs', async () => {
    await fc.assert(
      fc.asyncProperty(context, context, async (batchContext, itemContext) => {
        const { batch, delivered } = accepting()
        await batch([track({ context: itemContext })], { defaults: { context: batchContext as never } })
        const [event] = delivered() as [CanonicalEvent]
        const expected = reference(batchContext, itemContext)
        expect(event.user_id).to.equal(expected.user)
        expect(event.anonymous_id).to.equal(expected.anonymous)
        expect(event.context.attributes).to.deep.equal(expected.attributes)
      }),
      { numRuns: 200 },
    )
  })

  it('reaches nobody\'s prototype, whatever the keys are called', async () => {
    const { batch, delivered } = accepting()
    const hostile = JSON.parse('{"attributes":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}') as object
    await batch([track({ context: hostile })], { defaults: { context: hostile } })
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined)
    expect(JSON.stringify(delivered()[0])).to.contain('"__proto__":{"polluted":true}')
  })

  it('applies the context of the batch to every item and leaves it unchanged', async () => {
    const { batch, delivered } = accepting()
    const batchContext = { user_id: 'u', attributes: { a: 1, b: 1 } }
    await batch([track({ context: { attributes: { b: 2 } } }), track()], { defaults: { context: batchContext } })
    expect(delivered().map(({ context }) => context.attributes)).to.deep.equal([{ a: 1, b: 2 }, { a: 1, b: 1 }])
    expect(batchContext).to.deep.equal({ user_id: 'u', attributes: { a: 1, b: 1 } })
  })
})
