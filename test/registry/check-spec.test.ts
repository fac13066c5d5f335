import { expect } from 'chai'
import { SignalbookError } from '../../src/error.ts'
import type { ErrorDetail } from '../../src/error.ts'
import { checkSpec } from '../../src/registry/check-spec.ts'
import { specWarnings } from '../../src/registry/spec-warnings.ts'
import { shortestTime } from './shortest-time.ts'

const BASE = { namespace: 'shop', name: 'order_completed', description: 'An order was paid' }

function faults(document: Record<string, unknown>): ErrorDetail[] {
  try {
    checkSpec({ ...BASE, ...document })
  } catch (error) {
    expect(error).to.be.instanceOf(SignalbookError).with.property('code', 'invalid_request')
    return (error as SignalbookError).details ?? []
  }
  return []
}

/** Asserts that a definition of the property `p` has exactly this fault, at this path below it. */
function expectFault(definition: unknown, path: string, message: RegExp, rest: Record<string, unknown> = {}): void {
  const found = faults({ properties: { p: definition }, ...rest })
  expect(found.map((fault) => fault.path), JSON.stringify({ definition, found })).to.deep.equal([path])
  expect(found[0]?.message).to.match(message)
}

describe('checkSpec', () => {
  it('fills in status, type and event_name, and keeps every key that it does not know', () => {
    const extras = { provider_overrides: { x: null }, destinations: ['a'], required: ['a'], property_priority: {}, custom: null }
    expect(checkSpec({ ...BASE, ...extras })).to.deep.equal({ ...BASE, ...extras, status: 'active', type: 'track', event_name: 'order_completed' })
    expect(checkSpec({ ...BASE, version: '1-0-0', status: 'draft', type: 'page', event_name: 'Order Completed' })).to.include({ version: '1-0-0', status: 'draft', type: 'page', event_name: 'Order Completed' })
  })

  it('drops what only answers hold, so that an answer can be published again', () => {
    const spec = checkSpec({ ...BASE, version: '1-0-0' })
    const answer = { ...spec, published_at: '2026-01-01T00:00:00.000Z', published_by: null, updated_at: 'x', changes: [], previous_version: null, warnings: [] }
    expect(checkSpec(answer)).to.deep.equal(spec)
  })

  it('takes null in an optional key, as an empty line of YAML gives it, for nothing said', () => {
    expect(checkSpec({ ...BASE, version: null, owner: null, tags: null, properties: null, status: null })).to.deep.equal(checkSpec(BASE))
  })

  it('names each field that is wrong and what would be right', () => {
    const document = {
      namespace: 'a b', name: '', version: '01-0-0', status: 'live', type: 'screen', event_name: '', display_name: 1, description: [], owner: {}, $schema: 3, tags: ['a', ''],
      properties: [], context_properties: 'x', $defs: 1, additional_properties: 'no', sampling: { strategy: 'x', rate: 1.1 }, hooks: { validation: { mode: 'off' }, sampling: { rate: 0.5 } }, examples: { valid: {}, invalid: 1 },
    }
    expect(faults(document).map(({ path }) => path)).to.have.members([
      '/namespace', '/name', '/version', '/status', '/type', '/event_name', '/display_name', '/description', '/owner', '/$schema', '/tags', '/properties', '/context_properties', '/$defs',
      '/additional_properties', '/sampling/strategy', '/sampling/rate', '/hooks/validation/mode', '/hooks/sampling', '/examples/valid', '/examples/invalid',
    ])
    for (const key of ['hooks', 'sampling', 'examples']) expect(faults({ [key]: 'x' })).to.deep.include({ path: `/${key}`, message: faults({ [key]: 'x' })[0]?.message })
    expect(() => checkSpec({ name: 'x' })).to.throw('the event spec has a fault: /namespace is required')
    expect(() => checkSpec({})).to.throw('the event spec has 2 faults, the first: /namespace is required')
  })

  it('accepts the names that section 3 of the decisions allows and no others', () => {
    for (const name of ['a', '9', 'A.b_c-d', 'x'.repeat(100)]) expect(faults({ name, namespace: name }), name).to.deep.equal([])
    for (const name of ['', '.a', '_a', '-a', 'x'.repeat(101), 'a/b', 'a b', 'é', 'a\n', 7]) expect(faults({ name, event_name: 'x' }).map(({ path }) => path), String(name)).to.deep.equal(['/name'])
  })

  it('accepts definitions that use what JSON Schema 2020-12 has', () => {
    const properties = {
      price: { type: 'number', required: true, minimum: 0, multipleOf: 0.01, pii: 'none', aliases: ['amount'], examples: [1] },
      email: { type: ['string', 'null'], format: 'email', pii: 'email' },
      items: { type: 'array', items: { type: 'object', required: ['sku'], properties: { sku: { type: 'string', pattern: '^[a-z]+(-[a-z]+)*$' }, tax: { $ref: '#/$defs/tax', required: true } } }, minItems: 1 },
      any: {},
      never: false,
      payment: { oneOf: [{ properties: { card: { required: true } } }, { not: { required: ['card'] } }], if: { properties: { a: true } }, then: {}, else: false },
      map: { patternProperties: { '^x_': true }, propertyNames: { maxLength: 3 }, dependentRequired: { a: ['b'] }, unevaluatedProperties: false },
      tree: { $ref: '#/$defs/tree' },
      same: { $ref: '#/properties/price' },
      first: { $ref: '#/properties/items/items/properties/sku' },
      whole: { type: 'object', properties: { again: { $ref: '#' } } },
      'a/b~c %': { type: 'string' },
      escaped: { $ref: '#/properties/a~1b~0c%20%25' },
      required: { type: 'boolean' },
      pattern: { type: 'string' },
      $ref: { type: 'string' },
    }
    const $defs = { tax: { type: 'number' }, tree: { type: 'object', properties: { left: { $ref: '#/$defs/tree' }, right: { $ref: '#/$defs/tree' }, others: { type: 'array', items: { $ref: '#/$defs/tree' } } } } }
    expect(faults({ properties, $defs, context_properties: { v: { type: 'string' }, w: { $ref: '#/properties/v' }, t: { $ref: '#/$defs/tax' } } })).to.deep.equal([])
  })

  it('refuses definitions that are no JSON Schema, at their place in the document', () => {
    expectFault(null, '/properties/p', /must be a definition.*got null/)
    expectFault('string', '/properties/p', /must be a definition/)
    expectFault({ type: 'strin' }, '/properties/p/type', /one of string, number.*got "strin"/)
    expectFault({ type: ['string', 'date'] }, '/properties/p/type', /got "date"/)
    expectFault({ type: [] }, '/properties/p/type', /at least one type/)
    expectFault({ minLength: -1 }, '/properties/p/minLength', /must be >= 0/)
    expectFault({ items: [{}] }, '/properties/p/items', /must be a definition/)
    expectFault({ anyOf: {} }, '/properties/p/anyOf', /must be array/)
    expectFault({ anyOf: [{ enum: 3 }] }, '/properties/p/anyOf/0/enum', /must be array/)
    expectFault({ enum: [] }, '/properties/p/enum', /at least one value/)
    expectFault({ properties: { 'a/b': { multipleOf: 0 } } }, '/properties/p/properties/a~1b/multipleOf', /must be > 0/)
    expectFault({ required: 'yes' }, '/properties/p/required', /true or false, or a list/)
    expectFault({ items: { required: true } }, '/properties/p/items/required', /must not be true here/)
    expectFault({ pii: 'secret' }, '/properties/p/pii', /none, email/)
    expectFault({ aliases: 'old' }, '/properties/p/aliases', /list of the names/)
    expectFault({ nullable: true, type: 'string' }, '/properties/p/nullable', /add "null" to the type/)
    expectFault({ dependencies: {} }, '/properties/p/dependencies', /dependentRequired/)
    for (const keyword of ['$id', '$anchor', '$dynamicRef', '$dynamicAnchor']) expectFault({ [keyword]: 'x' }, `/properties/p/${keyword}`, /\$defs/)
    expect(faults({ context_properties: { v: { minLength: -1 } } })[0]?.path).to.equal('/context_properties/v/minLength')
    expect(faults({ $defs: { v: { minLength: -1 } } })[0]?.path).to.equal('/$defs/v/minLength')
    expect(faults({ type: 'alias', properties: { v: { minLength: -1 } } })[0]?.path).to.equal('/properties/v/minLength')
  })

  it('refuses unsafe patterns wherever patterns can stand', () => {
    const pattern = '^(a+)+$'
    expectFault({ pattern }, '/properties/p/pattern', /\(a\+\)\+ can match the same text/)
    expectFault({ patternProperties: { [pattern]: {} } }, `/properties/p/patternProperties/${pattern}`, /not allowed as a pattern/)
    expectFault({ propertyNames: { pattern } }, '/properties/p/propertyNames/pattern', /not allowed as a pattern/)
    for (const [keyword, path] of [['items', 'items'], ['not', 'not'], ['if', 'if'], ['contains', 'contains'], ['additionalProperties', 'additionalProperties']] as const) {
      expectFault({ [keyword]: { pattern } }, `/properties/p/${path}/pattern`, /not allowed as a pattern/)
    }
    expectFault({ prefixItems: [{ anyOf: [{ pattern }] }] }, '/properties/p/prefixItems/0/anyOf/0/pattern', /not allowed as a pattern/)
    expectFault({ dependentSchemas: { a: { pattern } } }, '/properties/p/dependentSchemas/a/pattern', /not allowed as a pattern/)
    expectFault({ $defs: { x: { definitions: { y: { pattern } } } } }, '/properties/p/$defs/x/definitions/y/pattern', /not allowed as a pattern/)
    expectFault({ pattern: '[a-z' }, '/properties/p/pattern', /Unterminated/)
    expect(faults({ properties: { p: { enum: [{ pattern }], default: { pattern }, const: { pattern }, examples: [{ pattern }] } } })).to.deep.equal([])
  })

  it('refuses references that leave the spec, name nothing, or name no definition', () => {
    const properties = { a: { type: 'string', enum: ['x'] } }
    for (const ref of ['http://example.com/x', 'other.json', '#anchor', '#/%', 7]) expect(faults({ properties: { ...properties, p: { $ref: ref } } })[0]?.message, String(ref)).to.match(/must point into this spec/)
    for (const ref of ['#/properties/nope', '#/$defs/x', '#/properties/a/enum/0', '#/name', '#/properties', '#/context_properties/a']) {
      expect(faults({ properties: { ...properties, p: { $ref: ref } } }), ref).to.deep.equal([{ path: '/properties/p/$ref', message: `names no definition of this spec: there is none at ${ref.slice(1)}` }])
    }
    expect(faults({ properties, context_properties: { p: { $ref: '#/properties/a' } } })[0]?.path).to.equal('/context_properties/p/$ref')
  })

  it('refuses definitions that no value can ever be judged by', () => {
    expectFault({ $ref: '#/properties/p' }, '/properties/p', /refers to itself/)
    expectFault({ allOf: [{ $ref: '#/$defs/x' }] }, '/$defs/x', /refers to itself/, { $defs: { x: { anyOf: [{}, { not: { $ref: '#/$defs/x' } }] } } })
    expectFault({ if: { $ref: '#/properties/p' } }, '/properties/p', /refers to itself/)
    expect(faults({ context_properties: { p: { $ref: '#/properties/p' } } })[0]?.path).to.equal('/context_properties/p')
  })

  it('refuses definitions whose cost explodes', () => {
    const doubling = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`d${index}`, { anyOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] }]))
    expectFault({ $ref: '#/$defs/d0' }, '/properties', /more than 2000 times/, { $defs: { ...doubling, d20: {} } })
    const twice = { anyOf: [{ properties: { c: { $ref: '#/$defs/n' } } }, { additionalProperties: { $ref: '#/$defs/n' } }] }
    expectFault({ $ref: '#/$defs/n' }, '/properties', /more than 2000 times/, { $defs: { n: twice } })
    const once = { anyOf: [{ properties: { c: { $ref: '#/$defs/n' } } }, { properties: { d: { $ref: '#/$defs/n' } } }, { type: 'string' }] }
    expect(faults({ properties: { p: { $ref: '#/$defs/n' } }, $defs: { n: once } })).to.deep.equal([])
    expect(faults({ properties: { p: { anyOf: Array.from({ length: 500 }, (_, index) => ({ const: index })) } } })).to.deep.equal([])
  })

  it('refuses more definitions than a process can compile in passing', () => {
    const properties = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string' }]))
    expect(faults({ properties: properties(2000) })).to.deep.equal([])
    expect(faults({ properties: { ...properties(1999), o: { properties: { a: {} } } } })[0]?.message).to.match(/holds 2001 definitions/)
  })

  it('refuses what JSON can spell and nobody should keep', () => {
    expect(faults(JSON.parse('{"properties": {"__proto__": {"type": "string"}}}') as Record<string, unknown>)[0]?.path).to.equal('/properties/__proto__')
    const deep = (levels: number): Record<string, unknown> => (levels === 0 ? {} : { properties: { a: deep(levels - 1) } })
    expect(faults(deep(15))).to.deep.equal([])
    expect(faults(deep(16))[0]?.message).to.equal('nested too deep')
  })

  it('lists at most 50 faults and counts them all', () => {
    const properties = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`p${index}`, { type: 'x' }]))
    expect(faults({ properties })).to.have.length(50)
    expect(() => checkSpec({ ...BASE, properties })).to.throw('has 80 faults, the first: /properties/p0/type must be one of')
  })

  it('runs the examples', () => {
    const properties = { price: { type: 'number', required: true } }
    expect(faults({ properties, examples: { valid: [{ price: 1 }], invalid: [{}, { price: 'x' }, 3] } })).to.deep.equal([])
    expect(faults({ properties, examples: { valid: [{ price: 1 }, { price: 'x' }], invalid: [{}, { price: 2 }] } })).to.deep.equal([
      { path: '/examples/valid/1', message: 'is called valid but the spec refuses it: property "price" must be of type number; got the string "x"' },
      { path: '/examples/invalid/1', message: 'is called invalid but the spec accepts it; change the example, or the definition that should refuse it' },
    ])
  })

  it('takes an example for a payload, or for a whole event when it has the form of one', () => {
    const spec = { properties: { price: { type: 'number' } }, context_properties: { app: { type: 'string', required: true } } }
    const event = (price: unknown, attributes: unknown) => ({ properties: { price }, context: { attributes } })
    expect(faults({ ...spec, examples: { valid: [{ price: 1 }, event(1, { app: 'web' })], invalid: [{ price: 'x' }, event('x', { app: 'web' }), event(1, {})] } })).to.deep.equal([])
    expect(faults({ ...spec, type: 'identify', examples: { valid: [{ traits: { price: 1 }, context: { attributes: { app: 'x' } } }], invalid: [{ traits: { price: 'x' } }] } })).to.deep.equal([])
    expect(faults({ properties: { properties: { type: 'string' } }, examples: { valid: [{ properties: 'x' }], invalid: [{ properties: {} }] } })).to.deep.equal([])
  })

  it('is quick: 300 properties in under 400 ms', () => {
    const properties = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, { type: 'string', required: true, pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$', maxLength: 20 }]))
    expect(shortestTime(() => checkSpec({ ...BASE, properties }))).to.be.below(400)
  })
})

describe('specWarnings', () => {
  const rules = (document: Record<string, unknown>): string[] => specWarnings(checkSpec({ ...BASE, ...document })).map(({ rule, path }) => `${rule} ${path}`)

  it('has nothing to say about a tidy spec', () => {
    expect(rules({ properties: { at: { type: 'string', format: 'date-time' } } })).to.deep.equal([])
  })

  it('remarks upon what is allowed and probably not meant', () => {
    expect(rules({ description: ' ' })).to.deep.equal(['description.missing /description'])
    expect(rules({ name: 'OrderCompleted' })).to.deep.equal(['name.style /name'])
    expect(rules({ required: ['a'] })).to.deep.equal(['required.no-effect /required'])
    expect(rules({ type: 'alias', properties: { a: {} } })).to.deep.equal(['properties.no-effect /properties'])
    expect(rules({ properties: { a: { items: { format: 'zip' } } }, $defs: { b: { format: 'sku' } } })).to.deep.equal(['format.unknown /properties/a/items/format', 'format.unknown /$defs/b/format'])
    expect(rules({ context_properties: { a: { additional_properties: false } } })).to.deep.equal(['additional-properties.spelling /context_properties/a/additional_properties'])
  })
})
