import { deliveredTo, succeeded, typed } from '../sdk'
import type { Connect } from '../sdk'
import { createClient } from './sdk/client'
import { createDestination, createKey, createSource, deleteDestination, deleteSource, flush, getLatestEvent, listRelayEvents, publishEvent, track } from './sdk/sdk.gen'

export const connect: Connect = (baseUrl) => {
  let auth: string | undefined
  const client = createClient({ baseUrl, auth: () => auth })
  return {
    async bootstrap() {
      const { data, error, response } = await createKey({ client, body: { role: 'admin' } })
      auth = typed(succeeded(data, statusOf(response), error).key)
    },
    async publish(spec) {
      const { data, error, response } = await publishEvent({ client, body: spec })
      return typed(succeeded(data, statusOf(response), error).version)
    },
    async registerDestination(name) {
      const { data, error, response } = await createDestination({ client, body: { name, provider: 'noop', config: {} } })
      succeeded(data, statusOf(response), error)
    },
    async registerSource(source) {
      const { data, error, response } = await createSource({ client, body: source })
      succeeded(data, statusOf(response), error)
    },
    async track(event) {
      const { data, error, response } = await track({ client, body: event })
      return typed(succeeded(data, statusOf(response), error).message_id)
    },
    async flush(wait) {
      const { data, error, response } = await flush({ client, query: { wait } })
      return typed(succeeded(data, statusOf(response), error).pending)
    },
    async latestVersion(namespace, name) {
      const { data, error, response } = await getLatestEvent({ client, path: { namespace, name } })
      return typed(succeeded(data, statusOf(response), error).version)
    },
    async reached(messageId) {
      const { data, error, response } = await listRelayEvents({ client, query: { message_id: messageId } })
      return deliveredTo(typed(succeeded(data, statusOf(response), error)))
    },
    async removeSource(name) {
      const { error, response } = await deleteSource({ client, path: { name } })
      succeeded(response, statusOf(response), error)
    },
    async removeDestination(name) {
      const { error, response } = await deleteDestination({ client, path: { name } })
      succeeded(response, statusOf(response), error)
    },
    async askForMissing(namespace, name) {
      const { error, response } = await getLatestEvent({ client, path: { namespace, name } })
      if (!error) throw new Error(`a missing spec was answered with ${statusOf(response)}`)
      return { status: statusOf(response), sentence: typed(error.error), code: typed(error.code) }
    },
  }
}

/** The client leaves the response out where none came. */
function statusOf(response: Response | undefined): number {
  return response?.status ?? 0
}
