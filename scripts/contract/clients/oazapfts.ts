import { deliveredTo, succeeded, typed } from '../sdk'
import type { Connect } from '../sdk'
import * as api from './sdk/api'

export const connect: Connect = (baseUrl) => {
  api.defaults.baseUrl = baseUrl
  delete api.defaults.headers['Authorization']
  return {
    async bootstrap() {
      const answer = await api.createKey({ role: 'admin' })
      if (answer.status !== 201) return refuse(answer)
      api.defaults.headers['Authorization'] = `Bearer ${typed(answer.data.key)}`
    },
    async publish(spec) {
      const answer = await api.publishEvent(spec)
      return answer.status === 201 ? typed(answer.data.version) : refuse(answer)
    },
    async registerDestination(name) {
      const answer = await api.createDestination({ name, provider: 'noop', config: {} })
      if (answer.status !== 201) refuse(answer)
    },
    async registerSource(source) {
      const answer = await api.createSource(source)
      if (answer.status !== 201) refuse(answer)
    },
    async track(event) {
      const answer = await api.track(event)
      return answer.status === 202 ? typed(answer.data.message_id) : refuse(answer)
    },
    async flush(wait) {
      const answer = await api.flush({}, { wait })
      return answer.status === 202 ? typed(answer.data.pending) : refuse(answer)
    },
    async latestVersion(namespace, name) {
      const answer = await api.getLatestEvent(namespace, name)
      return answer.status === 200 ? typed(answer.data.version) : refuse(answer)
    },
    async reached(messageId) {
      const answer = await api.listRelayEvents({ messageId })
      return answer.status === 200 ? deliveredTo(typed(answer.data)) : refuse(answer)
    },
    async removeSource(name) {
      const answer = await api.deleteSource(name)
      if (answer.status !== 204) refuse(answer)
    },
    async removeDestination(name) {
      const answer = await api.deleteDestination(name)
      if (answer.status !== 204) refuse(answer)
    },
    async askForMissing(namespace, name) {
      const answer = await api.getLatestEvent(namespace, name)
      if (answer.status !== 404) return refuse(answer)
      return { status: answer.status, sentence: typed(answer.data.error), code: typed(answer.data.code) }
    },
  }
}

function refuse(answer: { status: number; data?: unknown }): never {
  return succeeded<never>(undefined, answer.status, answer.data)
}
