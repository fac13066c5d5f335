import type { HealthProbe } from '../health-probe.ts'
import { SECOND, formatDuration } from '../../duration.ts'
import type { HandlersOf } from '../operation.ts'

export interface HealthDeps {
  probe: HealthProbe
  now: () => number
  startedAt: number
  version: string
  /** False from the moment the process was told to stop. */
  acceptsWork: () => boolean
}

/** Health for people and monitors, readiness for load balancers; neither needs a key. */
export function healthHandlers(deps: HealthDeps): HandlersOf<'getHealth' | 'getReadiness'> {
  return {
    async getHealth() {
      const fault = await deps.probe()
      const facts = { uptime: formatDuration(Math.max(0, deps.now() - deps.startedAt)), version: deps.version }
      return fault === undefined
        ? { status: 200, body: { status: 'ok', ...facts } }
        : { status: 503, headers: retryAfter(5 * SECOND), body: { status: 'degraded', ...facts, reason: fault } }
    },

    async getReadiness() {
      const fault = deps.acceptsWork() ? await deps.probe() : 'the service is stopping'
      return fault === undefined
        ? { status: 200, body: { status: 'ready' } }
        : { status: 503, headers: retryAfter(5 * SECOND), body: { status: 'not_ready', reason: fault } }
    },
  }
}

function retryAfter(ms: number): Record<string, string> {
  return { 'Retry-After': String(ms / SECOND) }
}
