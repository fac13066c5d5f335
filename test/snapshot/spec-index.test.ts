import { expect } from 'chai'
import { SpecIndex } from '../../src/snapshot/spec-index.ts'
import type { SpecHead } from '../../src/store/event-specs.ts'

let ids = 0

/** The head of a version of shop/paid, sent as "Order Paid", unless said otherwise. */
const head = (fields: Partial<SpecHead> = {}): SpecHead => ({ id: ++ids, namespace: 'shop', name: 'paid', version: '1-0-0', status: 'active', type: 'track', eventName: 'Order Paid', revision: 1, ...fields })
const namesOf = (index: SpecIndex, ...query: Parameters<SpecIndex['candidates']>) => index.candidates(...query).map(({ namespace, name }) => `${namespace}/${name}`)

describe('SpecIndex', () => {
  for (const sent of ['Order Paid', 'paid', 'shop/paid']) {
    it(`finds an event by what was sent as ${sent}`, () => {
      expect(namesOf(new SpecIndex().with([head()]), 'track', sent)).to.deep.equal(['shop/paid'])
    })
  }

  for (const sent of ['order paid', 'Order Paid ', 'Paid', 'shop', 'shop/Order Paid', 'other/paid', '', '*', 'track', 'track:paid', 'constructor', '__proto__']) {
    it(`finds nothing by ${JSON.stringify(sent)}`, () => {
      expect(namesOf(new SpecIndex().with([head()]), 'track', sent)).to.deep.equal([])
    })
  }

  it('finds an event once whose name and event_name are the same', () => {
    expect(namesOf(new SpecIndex().with([head({ eventName: 'paid' }), head({ version: '1-1-0', eventName: 'paid' })]), 'track', 'paid')).to.deep.equal(['shop/paid'])
  })

  it('finds an event only by the calls of its type', () => {
    const index = new SpecIndex().with([head({ type: 'page' })])
    expect(namesOf(index, 'page', 'paid')).to.deep.equal(['shop/paid'])
    for (const type of ['track', 'identify', 'group', 'alias'] as const) expect(namesOf(index, type, 'paid'), type).to.deep.equal([])
  })

  it('finds all events of a type for a call without a name', () => {
    const index = new SpecIndex().with([head({ type: 'identify', name: 'user' }), head({ type: 'identify', name: 'admin' }), head()])
    expect(namesOf(index, 'identify', undefined)).to.have.members(['shop/user', 'shop/admin'])
    expect(namesOf(index, 'group', undefined)).to.deep.equal([])
  })

  it('finds every event that a name can mean, so that the choice is left to the sender', () => {
    const index = new SpecIndex().with([head({ namespace: 'shop' }), head({ namespace: 'club' }), head({ namespace: 'club', name: 'other', eventName: 'paid' })])
    expect(namesOf(index, 'track', 'paid')).to.have.members(['shop/paid', 'club/paid', 'club/other'])
    expect(namesOf(index, 'track', 'Order Paid')).to.have.members(['shop/paid', 'club/paid'])
    expect(namesOf(index, 'track', 'club/paid')).to.deep.equal(['club/paid'])
  })

  it('never finds an event that has drafts only', () => {
    const index = new SpecIndex().with([head({ status: 'draft' })])
    for (const sent of ['paid', 'Order Paid', 'shop/paid', undefined]) expect(namesOf(index, 'track', sent)).to.deep.equal([])
  })

  it('does not find an event by a name that only its draft has, and finds it once the draft is active', () => {
    const index = new SpecIndex().with([head(), head({ id: 77, version: '2-0-0', status: 'draft', eventName: 'Invoice Paid' })])
    expect(namesOf(index, 'track', 'Invoice Paid')).to.deep.equal([])
    expect(namesOf(index.with([head({ id: 77, version: '2-0-0', eventName: 'Invoice Paid' })]), 'track', 'Invoice Paid')).to.deep.equal(['shop/paid'])
  })

  it('forgets the names of a draft that was overwritten', () => {
    const index = new SpecIndex().with([head({ status: 'active', eventName: 'Old' })]).with([head({ status: 'active', eventName: 'New' })])
    expect(namesOf(index, 'track', 'Old')).to.deep.equal([])
    expect(namesOf(index, 'track', 'New')).to.deep.equal(['shop/paid'])
  })

  for (const status of ['deprecated', 'deleted'] as const) {
    it(`finds an event that is ${status}, since sending it must not look unplanned`, () => {
      expect(namesOf(new SpecIndex().with([head({ status })]), 'track', 'paid')).to.deep.equal(['shop/paid'])
    })
  }

  it('knows the latest version: the highest active, else the highest deprecated, else the highest deleted', () => {
    const latest = (...versions: [version: string, status: SpecHead['status']][]) => {
      const [event] = new SpecIndex().with(versions.map(([version, status]) => head({ version, status }))).candidates('track', 'paid')
      return event?.latest?.version
    }
    expect(latest(['2-0-0', 'active'], ['10-0-0', 'active'], ['11-0-0', 'draft'])).to.equal('10-0-0')
    expect(latest(['1-0-0', 'active'], ['2-0-0', 'deprecated'])).to.equal('1-0-0')
    expect(latest(['1-0-0', 'deprecated'], ['2-0-0', 'deprecated'], ['3-0-0', 'deleted'])).to.equal('2-0-0')
    expect(latest(['9-0-0', 'deleted'], ['10-0-0', 'deleted'], ['11-0-0', 'draft'])).to.equal('10-0-0')
  })

  it('leaves the index that it was made from as it is, for requests that hold it', () => {
    const before = new SpecIndex().with([head()])
    const [event] = before.candidates('track', 'paid')
    const after = before.with([head({ version: '2-0-0' }), head({ name: 'refunded' })])
    expect(namesOf(before, 'track', 'refunded')).to.deep.equal([])
    expect(event?.latest?.version).to.equal('1-0-0')
    expect([...(event?.versions.keys() ?? [])]).to.deep.equal(['1-0-0'])
    expect(namesOf(after, 'track', 'refunded')).to.deep.equal(['shop/refunded'])
    expect(after.candidates('track', 'paid')[0]?.latest?.version).to.equal('2-0-0')
  })
})
