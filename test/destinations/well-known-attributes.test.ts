import { expect } from 'chai'
import { wellKnown } from '../../src/destinations/well-known-attributes.ts'
import { ATTRIBUTES } from './support/exchange.ts'

describe('well-known attributes', () => {
  const cases = [
    {
      claim: 'are read in whichever spelling they come',
      attributes: ATTRIBUTES,
      found: {
        ip: '203.0.113.9',
        userAgent: 'Mozilla/5.0',
        locale: 'de-CH',
        timezone: 'Europe/Zurich',
        groupId: 'acme',
        page: ATTRIBUTES.page,
        campaign: ATTRIBUTES.campaign,
        app: ATTRIBUTES.app,
        os: ATTRIBUTES.os,
        device: ATTRIBUTES.device,
      },
    },
    { claim: 'are read in camel case', attributes: { ipAddress: '::1', userAgent: 'curl', timeZone: 'UTC', groupId: 'g' }, found: { ip: '::1', userAgent: 'curl', timezone: 'UTC', groupId: 'g' } },
    { claim: "come in Segment's spelling before any other", attributes: { ip_address: '203.0.113.2', ip: '203.0.113.1' }, found: { ip: '203.0.113.1' } },
    { claim: 'count as another spelling where the first holds no text', attributes: { ip: null, ip_address: '203.0.113.2' }, found: { ip: '203.0.113.2' } },
    { claim: 'may be numbers, as versions and ids often are', attributes: { app: { version: 4.2 }, group_id: 7 }, found: { app: { version: '4.2' }, groupId: '7' } },
    {
      claim: 'are absent where they are empty or of another type',
      attributes: { ip: '', locale: null, page: 'https://example.com', os: ['iOS'], app: {}, device: { id: { a: 1 }, model: '' }, campaign: null, library: { other: 'x' } },
      found: {},
    },
    { claim: 'never come from the prototype', attributes: Object.create({ ip: '203.0.113.1' }) as Record<string, unknown>, found: {} },
  ]
  for (const { claim, attributes, found } of cases) {
    it(claim, () => expect(wellKnown({ context: { attributes } })).to.deep.equal(found))
  }
})
