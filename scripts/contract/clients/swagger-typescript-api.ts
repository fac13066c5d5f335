import { deliveredTo, succeeded, typed } from '../sdk'
import type { Connect } from '../sdk'
import { Api, Role } from './sdk/api'
import type { HttpResponse } from './sdk/api'

export const connect: Connect = (baseUrl) => {
  const { v1, setSecurityData } = new Api<string>({ baseUrl, securityWorker: (key) => (key === null ? {} : { headers: { Authorization: `Bearer ${key}` } }) })
  return {
    async bootstrap() {
      setSecurityData(typed(dataOf(await v1.createKey({ role: Role.Admin })).key))
    },
    async publish(spec) {
      return typed(dataOf(await v1.publishEvent(spec)).version)
    },
    async registerDestination(name) {
      dataOf(await v1.createDestination({ name, provider: 'noop', config: {} }))
    },
    async registerSource(source) {
      dataOf(await v1.createSource(source))
    },
    async track(event) {
      return typed(dataOf(await v1.track(event)).message_id)
    },
    async flush(wait) {
      return typed(dataOf(await v1.flush({ wait }, {})).pending)
    },
    async latestVersion(namespace, name) {
      return typed(dataOf(await v1.getLatestEvent(namespace, name)).version)
    },
    async reached(messageId) {
      return deliveredTo(typed(dataOf(await v1.listRelayEvents({ message_id: messageId }))))
    },
    async removeSource(name) {
      const { status, error } = await v1.deleteSource(name)
      succeeded(status, status, error)
    },
    async removeDestination(name) {
      const { status, error } = await v1.deleteDestination(name)
      succeeded(status, status, error)
    },
    async askForMissing(namespace, name) {
      const { status, error } = await v1.getLatestEvent(namespace, name)
      return { status, sentence: typed(error.error), code: typed(error.code) }
    },
  }
}

function dataOf<T, E>({ data, error, status }: HttpResponse<T, E>): T {
  return succeeded(data, status, error)
}
