import { expect } from 'chai'
import { MAX_VIOLATIONS, compileSpec } from '../../src/registry/compile.ts'
import type { Violation } from '../../src/registry/compile.ts'
import type { SchemaSource } from '../../src/registry/json-schema.ts'
import { shortestTime } from './shortest-time.ts'

function violations(spec: Partial<SchemaSource>, payload: unknown, contextAttributes?: unknown): Violation[] {
  return compileSpec({ name: 'order', type: 'track', ...spec }).validate(payload, contextAttributes)
}

/** The one violation of a property `p` with this definition and value. */
function violation(definition: Record<string, unknown>, value: unknown): Violation {
  const found = violations({ properties: { p: definition } }, { p: value })
  expect(found, JSON.stringify({ definition, value, found })).to.have.length(1)
  return found[0] as Violation
}

describe('a compiled spec', () => {
  it('accepts what keeps to the spec', () => {
    const properties = { price: { type: 'number', multipleOf: 0.01, required: true }, at: { type: 'string', format: 'date-time' } }
    expect(violations({ properties }, { price: 19.99, at: '2026-11-21T09:30:00.123456+01:00', more: true })).to.deep.equal([])
  })

  it('names the rule, the place in the event and the way out', () => {
    const table: [Record<string, unknown>, unknown, rule: string, message: string][] = [
      [{ type: 'number' }, 'x', 'type', 'property "p" must be of type number; got the string "x"'],
      [{ type: ['number', 'null'] }, {}, 'type', 'property "p" must be of type number or null; got an object'],
      [{ enum: ['EUR', 'USD'] }, 'GBP', 'enum', 'property "p" must be one of "EUR", "USD"; got "GBP"'],
      [{ enum: Array.from({ length: 12 }, (_, index) => index) }, 99, 'enum', 'property "p" must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more; got 99'],
      [{ const: 1 }, null, 'const', 'property "p" must be 1; got null'],
      [{ pattern: '^a$' }, 'b', 'pattern', 'property "p" must match the pattern "^a$"; got "b"'],
      [{ format: 'date-time' }, '2026-11-21 09:30:00Z', 'format', 'property "p" must have the format "date-time"; got "2026-11-21 09:30:00Z"'],
      [{ format: 'date-time' }, '2026-11-21T23:59:60Z', 'format', 'property "p" must have the format "date-time"; got "2026-11-21T23:59:60Z"'],
      [{ minLength: 3 }, 'ab', 'min_length', 'property "p" must not have fewer than 3 characters; got "ab"'],
      [{ maximum: 10 }, 11, 'maximum', 'property "p" must be <= 10; got 11'],
      [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 5, 'any_of', 'property "p" must match one of 2 alternatives: type string or null; got 5'],
      [{ oneOf: [{ multipleOf: 3 }, { multipleOf: 5 }] }, 15, 'one_of', 'property "p" must match exactly one of 2 alternatives but matches numbers 0 and 1, counted from 0'],
      [{ not: { type: 'string' } }, 'x', 'not', 'property "p" must not have the form that the spec excludes'],
      [{ contains: { type: 'string' } }, [1, 2], 'contains', 'property "p" must hold at least 1 item of the form that the spec asks for'],
      [{ uniqueItems: true }, [{ a: 1, b: 2 }, { b: 2, a: 1 }], 'unique_items', 'property "p" must not hold the same item twice'],
      [{ if: { type: 'string' }, then: { minLength: 2 } }, 'x', 'min_length', 'property "p" must not have fewer than 2 characters; got "x"'],
    ]
    for (const [definition, value, rule, message] of table) expect(violation(definition, value)).to.deep.equal({ rule, path: '/properties/p', message })
    expect(violations({ properties: { p: false as never } }, { p: 1 })[0]).to.deep.include({ rule: 'false_schema', path: '/properties/p' })
  })

  it('points at the property that is missing or too many rather than at the object around it', () => {
    const inner = { type: 'object', properties: { sku: { required: true } }, additionalProperties: false, dependentRequired: { sku: ['unit'] } }
    expect(violations({ properties: { items: { type: 'array', items: inner } }, additional_properties: false }, { items: [{ 'a/b': 1 }, { sku: 1 }], other: 1 })).to.deep.equal([
      { rule: 'additional_properties', path: '/properties/other', message: 'property "other" is not in the spec, which is closed to others; remove it or add it to the spec' },
      { rule: 'required', path: '/properties/items/0/sku', message: 'property "items[0].sku" is required but missing' },
      { rule: 'additional_properties', path: '/properties/items/0/a~1b', message: 'property "items[0].a/b" is not in the spec, which is closed to others; remove it or add it to the spec' },
      { rule: 'dependent_required', path: '/properties/items/1/unit', message: 'property "items[1].unit" is required because "sku" is present' },
    ])
    expect(violation({ propertyNames: { pattern: '^a' } }, { bcd: 1 })).to.deep.include({ rule: 'property_names', path: '/properties/p/bcd' })
    expect(violation({ unevaluatedProperties: false }, { bcd: 1 })).to.deep.include({ rule: 'unevaluated_properties', path: '/properties/p/bcd' })
  })

  it('judges traits for identify and group, and nothing for alias', () => {
    const properties = { plan: { type: 'string', required: true } }
    for (const type of ['identify', 'group'] as const) expect(violations({ type, properties }, {})[0]?.path).to.equal('/traits/plan')
    expect(violations({ type: 'page', properties }, {})[0]?.path).to.equal('/properties/plan')
    expect(violations({ type: 'alias', properties }, {})).to.deep.equal([])
  })

  it('judges the context only when the spec describes it, and takes what is absent for an empty object', () => {
    const context_properties = { app: { type: 'string', required: true } }
    expect(violations({ context_properties }, undefined, undefined)).to.deep.equal([{ rule: 'required', path: '/context/attributes/app', message: 'property "app" is required but missing' }])
    expect(violations({ context_properties }, {}, { app: 'web', os: 'x' })).to.deep.equal([])
    expect(violations({}, {}, 'nonsense')).to.deep.equal([])
    expect(violations({}, [])[0]).to.deep.equal({ rule: 'type', path: '/properties', message: 'properties must be of type object; got an array' })
  })

  it('resolves references into $defs and into properties', () => {
    const spec = { $defs: { money: { type: 'object', properties: { amount: { type: 'number', required: true } } } }, properties: { price: { $ref: '#/$defs/money' }, tax: { $ref: '#/properties/price' } } }
    expect(violations(spec, { price: { amount: 1 }, tax: {} }).map(({ path }) => path)).to.deep.equal(['/properties/tax/amount'])
  })

  it(`reports at most ${MAX_VIOLATIONS} violations`, () => {
    expect(violations({ properties: { p: { items: { type: 'string' } } }, context_properties: { a: { required: true } } }, { p: Array.from({ length: 5000 }, () => 1) })).to.have.length(MAX_VIOLATIONS)
  })

  it('judges each event anew and changes none', () => {
    const compiled = compileSpec({ name: 'order', type: 'track', properties: { price: { type: 'number', default: 3 } } })
    const payload = { price: '1' }
    expect(compiled.validate(payload)).to.have.length(1)
    expect(compiled.validate({})).to.deep.equal([])
    expect(payload).to.deep.equal({ price: '1' })
  })

  it('shows at most 60 characters of a value', () => {
    const { message } = violation({ pattern: '^a$' }, 'z'.repeat(5000))
    expect(message).to.contain('z'.repeat(58)).and.to.have.length.below(130)
    expect(violation({ const: 1 }, '\u0000'.repeat(5000)).message).to.have.length.below(130)
  })

  it('shows no value of personal data, whatever way the definition is reached', () => {
    const secret = 'ada@example.com'
    const email = { type: 'integer', pii: 'email' }
    const specs: Partial<SchemaSource>[] = [
      { properties: { p: email } },
      { properties: { p: { $ref: '#/$defs/email' } }, $defs: { email } },
      { properties: { p: { type: 'integer', anyOf: [{}, { pii: 'email' }] } } },
      { properties: { p: { type: 'object', pii: 'sensitive', properties: { q: { type: 'integer' } } } } },
      { properties: { p: { type: 'object', additionalProperties: email } } },
      { properties: { p: { allOf: [{ if: { type: 'object' }, then: { properties: { q: email } } }] } } },
      { properties: { p: { type: 'object', patternProperties: { '^q': email } } } },
      { properties: { p: { type: 'array', items: email } } },
      { properties: { p: { type: 'array', prefixItems: [email] } } },
      { properties: { p: { if: true, then: { type: 'integer' }, allOf: [{ if: {}, then: { pii: 'id' } }] } } },
      { properties: { p: { const: 1, pii: 'phone' } } },
      { properties: { p: { enum: [1], pii: 'name' } } },
      { properties: { p: { pattern: '^x', pii: 'address' } } },
    ]
    for (const spec of specs) {
      for (const p of [secret, { q: secret }, [secret]]) {
        const found = violations(spec, { p })
        expect(JSON.stringify(found), JSON.stringify({ spec, p })).to.not.contain('ada')
      }
    }
    expect(violation(email, secret).message).to.equal('property "p" must be of type integer; got a string, not shown because it may be personal data')
    expect(violation({ type: 'integer', pii: 'none' }, secret).message).to.contain(secret)
  })

  it('shows no name that a sender put into an object of personal data', () => {
    const definition = { type: 'object', pii: 'email', properties: { known: {} }, additionalProperties: false }
    expect(violation(definition, { 'ada@example.com': 1 })).to.deep.equal({ rule: 'additional_properties', path: '/properties/p', message: 'property "p" holds a property that is not in the spec' })
    expect(JSON.stringify(violation({ pii: 'email', propertyNames: { maxLength: 3 } }, { 'ada@example.com': 1 }))).to.not.contain('ada')
  })

  it('tolerates keywords that it does not know', () => {
    expect(violations({ properties: { p: { type: 'string', id: 7, owner: 'x', format: 'no-such-format', nullable_by: [] } } }, { p: 'x' })).to.deep.equal([])
  })

  it('judges by conditions that can never hold, where the code that ajv generates is otherwise broken', () => {
    const never = { if: { not: {}, if: { type: 'string' }, then: { contains: { type: 'null' } } }, then: {}, else: { contains: { type: 'object' } } }
    expect(violations({ properties: { p: never } }, { p: [{}] })).to.deep.equal([])
    expect(violations({ properties: { p: never } }, { p: [1] })).not.to.deep.equal([])
  })

  it('judges an array that ends before the positions that are listed, also where the first fault ends the judging', () => {
    const listed = { prefixItems: [{ minimum: 0 }], contains: {} }
    const isAccepted = (definition: Record<string, unknown>, value: unknown) => violations({ properties: { p: definition } }, { p: value }).length === 0
    expect([[], [1], [-1]].map((value) => isAccepted({ not: listed }, value))).to.deep.equal([true, false, true])
    expect([[], [1], [-1]].map((value) => isAccepted({ if: listed, then: false }, value))).to.deep.equal([true, false, true])
    expect([[[]], [[1]], [[-1]]].map((value) => isAccepted({ contains: listed }, value))).to.deep.equal([false, true, false])
  })

  it('judges patterns of names beside branches that mark nothing, some or all of the properties as evaluated', () => {
    const patternProperties = { '^x_': { type: 'string' } }
    const some = { oneOf: [{ type: 'string' }, { type: 'object', properties: { a: { type: 'number' } }, unevaluatedProperties: false }], patternProperties, unevaluatedProperties: false }
    const all = { if: { required: ['kind'] }, then: { additionalProperties: { type: 'string' } }, patternProperties, unevaluatedProperties: false }
    const pathsOf = (definition: Record<string, unknown>, value: object) => violations({ properties: { p: definition } }, { p: value }).map(({ path }) => path)
    expect(pathsOf(some, { a: 1 })).to.deep.equal([])
    expect(pathsOf(some, { a: 1, x_b: 'q' })).to.include('/properties/p/x_b')
    expect(pathsOf(all, { kind: 'a', x_b: 'c', q: 'r' })).to.deep.equal([])
    expect(pathsOf(all, { x_b: 'c' })).to.deep.equal([])
    expect(pathsOf(all, { x_b: 'c', q: 'r' })).to.deep.equal(['/properties/p/q'])
  })

  it('stays fast on an event made to be slow', () => {
    const properties = {
      distinct: { type: 'array', uniqueItems: true },
      email: { pattern: '^[^@]+@[^@]+\\.[^@]+$' },
      url: { format: 'url' },
    }
    const compiled = compileSpec({ name: 'order', type: 'track', properties })
    const event = { distinct: Array.from({ length: 8000 }, (_, index) => [index]), email: `a@${'.a'.repeat(16_000)}@`, url: `http://${':'.repeat(32_000)}` }
    expect(compiled.validate(event).map(({ rule }) => rule)).to.deep.equal(['pattern', 'format'])
    expect(shortestTime(() => compiled.validate(event))).to.be.below(100)
  })

  it('says that a text is too long for a pattern of quadratic cost', () => {
    expect(violation({ pattern: '\\w+\\d' }, `${'a'.repeat(3000)}1`).message).to.contain('which is tried on texts of up to 1414 characters only')
    expect(violations({ properties: { p: { pattern: '^\\w+$' } } }, { p: 'a'.repeat(30_000) })).to.deep.equal([])
  })
})
