import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { contextJsonSchema, toJsonSchema } from '../../src/registry/json-schema.ts'
import type { SchemaSource } from '../../src/registry/json-schema.ts'

const track = (spec: Partial<SchemaSource>): SchemaSource => ({ name: 'order_completed', type: 'track', ...spec })

describe('toJsonSchema', () => {
  it('writes a standard document', () => {
    const schema = toJsonSchema(track({ description: 'An order was paid', properties: { price: { type: 'number', required: true, pii: 'none', examples: [1] }, note: { type: 'string', aliases: ['remark'] } } }))
    expect(schema).to.deep.equal({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'order_completed',
      description: 'An order was paid',
      type: 'object',
      properties: { price: { type: 'number', examples: [1] }, note: { type: 'string' } },
      required: ['price'],
      additionalProperties: true,
    })
    expect(new Ajv2020({ strict: true }).validateSchema(schema)).to.equal(true)
  })

  it('moves required: true into the parent wherever properties are defined', () => {
    const inner = { type: 'object', properties: { id: { type: 'string', required: true }, tag: { required: false } } }
    const outer = { type: 'object', properties: { id: { type: 'string' }, tag: {} }, required: ['id'] }
    const combined = (definition: object): Record<string, Record<string, unknown>> => ({
      nested: { type: 'object', properties: { deep: { ...definition, ...('required' in definition ? {} : { required: true }) } } },
      list: { items: definition, prefixItems: [definition], contains: definition, unevaluatedItems: definition },
      any: { anyOf: [definition], oneOf: [definition], allOf: [definition], not: definition, if: definition, then: definition, else: definition },
      map: { additionalProperties: definition, patternProperties: { '^x': definition }, dependentSchemas: { a: definition }, propertyNames: definition, unevaluatedProperties: definition },
    })
    const schema = toJsonSchema(track({ properties: combined(inner), $defs: { shared: inner } }))
    const expected = combined(outer)
    expected['nested'] = { type: 'object', properties: { deep: outer }, required: ['deep'] }
    expect(schema['properties']).to.deep.equal(expected)
    expect(schema['$defs']).to.deep.equal({ shared: outer })
  })

  it('keeps a list of required properties and adds to it those that are marked', () => {
    const schema = toJsonSchema(track({ properties: { address: { type: 'object', required: ['zip'], properties: { zip: {}, city: { required: true } } } } }))
    expect(schema['properties']).to.deep.equal({ address: { type: 'object', required: ['zip', 'city'], properties: { zip: {}, city: {} } } })
    expect(schema['required']).to.deep.equal([])
  })

  it('walks schemas, so that properties may be named like keywords', () => {
    const schema = toJsonSchema(
      track({
        properties: {
          required: { type: 'boolean', required: true },
          pii: { type: 'string', pii: 'email' },
          aliases: { enum: [{ pii: 'kept', required: true }], default: { aliases: ['kept'] } },
          properties: { type: 'object', properties: { items: { required: true }, pii: { required: true } } },
        },
      }),
    )
    expect(schema['properties']).to.deep.equal({
      required: { type: 'boolean' },
      pii: { type: 'string' },
      aliases: { enum: [{ pii: 'kept', required: true }], default: { aliases: ['kept'] } },
      properties: { type: 'object', properties: { items: {}, pii: {} }, required: ['items', 'pii'] },
    })
    expect(schema['required']).to.deep.equal(['required'])
  })

  it('keeps boolean schemas, closes the event when it is told to and leaves the spec untouched', () => {
    const spec = track({ additional_properties: false, properties: { never: false as never, id: { required: true } } })
    const before = structuredClone(spec)
    expect(toJsonSchema(spec)).to.deep.include({ additionalProperties: false, properties: { never: false, id: {} }, required: ['id'] })
    expect(spec).to.deep.equal(before)
  })

  it('describes no payload for an alias', () => {
    expect(toJsonSchema({ name: 'merge', type: 'alias', properties: { a: { required: true } } })).to.deep.include({ properties: {}, required: [] })
  })
})

describe('contextJsonSchema', () => {
  it('describes context.attributes, which stay open', () => {
    const schema = contextJsonSchema(track({ additional_properties: false, context_properties: { app: { $ref: '#/$defs/app', required: true } }, $defs: { app: { type: 'string' } } }))
    expect(schema).to.deep.include({ type: 'object', properties: { app: { $ref: '#/$defs/app' } }, required: ['app'], additionalProperties: true, $defs: { app: { type: 'string' } } })
  })

  it('is undefined when the spec says nothing about the context', () => {
    expect(contextJsonSchema(track({ properties: {} }))).to.equal(undefined)
  })
})
