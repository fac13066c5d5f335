import createClient from 'openapi-fetch'
import { deliveredTo, succeeded, typed } from '../sdk'
import type { Connect } from '../sdk'
import type { paths } from './sdk/api'

export const connect: Connect = (baseUrl) => {
  const client = createClient<paths>({ baseUrl })
  return {
    async bootstrap() {
      const { data, error, response } = await client.POST('/v1/admin/keys', { body: { role: 'admin' } })
      const key = typed(succeeded(data, response.status, error).key)
      client.use({ onRequest: ({ request }) => request.headers.set('Authorization', `Bearer ${key}`) })
    },
    async publish(spec) {
      const { data, error, response } = await client.POST('/v1/events', { body: spec })
      return typed(succeeded(data, response.status, error).version)
    },
    async registerDestination(name) {
      const { data, error, response } = await client.POST('/v1/admin/destinations', { body: { name, provider: 'noop', config: {} } })
      succeeded(data, response.status, error)
    },
    async registerSource(source) {
      const { data, error, response } = await client.POST('/v1/admin/sources', { body: source })
      succeeded(data, response.status, error)
    },
    async track(event) {
      const { data, error, response } = await client.POST('/v1/track', { body: event })
      return typed(succeeded(data, response.status, error).message_id)
    },
    async flush(wait) {
      const { data, error, response } = await client.POST('/v1/flush', { params: { query: { wait } } })
      return typed(succeeded(data, response.status, error).pending)
    },
    async latestVersion(namespace, name) {
      const { data, error, response } = await client.GET('/v1/events/{namespace}/{name}', { params: { path: { namespace, name } } })
      return typed(succeeded(data, response.status, error).version)
    },
    async reached(messageId) {
      const { data, error, response } = await client.GET('/v1/admin/relay/events', { params: { query: { message_id: messageId } } })
      return deliveredTo(typed(succeeded(data, response.status, error)))
    },
    async removeSource(name) {
      const { error, response } = await client.DELETE('/v1/admin/sources/{name}', { params: { path: { name } } })
      succeeded(response, response.status, error)
    },
    async removeDestination(name) {
      const { error, response } = await client.DELETE('/v1/admin/destinations/{name}', { params: { path: { name } } })
      succeeded(response, response.status, error)
    },
    async askForMissing(namespace, name) {
      const { error, response } = await client.GET('/v1/events/{namespace}/{name}', { params: { path: { namespace, name } } })
      if (!error) throw new Error(`a missing spec was answered with ${response.status}`)
      return { status: response.status, sentence: typed(error.error), code: typed(error.code) }
    },
  }
}
