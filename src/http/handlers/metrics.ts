import type { HandlersOf } from '../operation.ts'

export interface MetricsHandlerDeps {
  /** The numbers of this process and of the destinations, as Prometheus text. */
  renderMetrics: () => Promise<string>
}

// What Prometheus calls its text format.
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Numbers for a monitoring system. */
export function metricsHandlers(deps: MetricsHandlerDeps): HandlersOf<'getMetrics'> {
  return {
    async getMetrics() {
      return { status: 200, headers: { 'Content-Type': CONTENT_TYPE }, body: await deps.renderMetrics() }
    },
  }
}
