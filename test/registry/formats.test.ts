import { expect } from 'chai'
import { formats } from '../../src/registry/formats.ts'
import { shortestTime } from './shortest-time.ts'

function accepts(name: string, text: string): boolean {
  const format = formats[name]
  if (format instanceof RegExp) return format.test(text)
  if (typeof format === 'function') return format(text)
  const validate = typeof format === 'object' && 'validate' in format ? (format.validate as unknown) : undefined
  if (validate instanceof RegExp) return validate.test(text)
  return typeof validate === 'function' ? (validate as (text: string) => boolean)(text) : true
}

describe('formats', () => {
  it('read date-time as strictly as the rest of the service', () => {
    expect(accepts('date-time', '2026-02-28T23:59:59.5Z')).to.equal(true)
    for (const text of ['2026-02-28 23:59:59Z', '2026-02-29T00:00:00Z', '2026-06-30T23:59:60Z', '2026-02-28T23:59:59']) expect(accepts('date-time', text), text).to.equal(false)
  })

  it('know addresses of the web', () => {
    for (const text of ['http://example.com', 'https://user@example.com:8080/a?b=c#d', 'ftp://localhost/x']) expect(accepts('url', text), text).to.equal(true)
    for (const text of ['example.com', 'javascript:alert(1)', 'http://', 'http://a b', 'http://[::1', 'mailto:a@b.c']) expect(accepts('url', text), text).to.equal(false)
  })

  it('take under 50 ms on texts of 32,000 characters', () => {
    const prefixes = ['', 'http://', 'a@', 'urn:', '/', 'http://a@', 'http://a.', 'P', '2026-01-01T', 'https://[', '{', 'a@a.']
    const repeated = ['a', '1', '-', '.', ':', '/', '@', 'a.', 'a-', '%', '%41', '{a}', '{', ' ', '0', '::', '[', '~0', '#', '\u00e9']
    for (const name of Object.keys(formats)) {
      for (const prefix of prefixes) {
        for (const unit of repeated) {
          const text = `${prefix}${unit.repeat(32_000)}`.slice(0, 32_000) + '!'
          expect(shortestTime(() => accepts(name, text), 25), `${name} on ${prefix}(${unit})*`).to.be.below(50)
        }
      }
    }
  })
})
