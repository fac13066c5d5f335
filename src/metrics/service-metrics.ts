import { SECOND } from '../duration.ts'
import { createCounter, createHistogram, renderGauge } from './exposition.ts'

/** A destination at the moment of asking. */
export interface DestinationGauges {
  destination: string
  state: string
  backlog: number
  /** When the oldest event that waits was received, epoch milliseconds. */
  oldestReceivedAt: number | undefined
}

/** The numbers of this process. Labels are operations of the contract, and sources and destinations that are registered. */
export interface ServiceMetrics {
  /** Events of a source were judged, and stored unless they are blocked. */
  received(source: string, status: string, count: number): void
  /** A group of events was committed. */
  committed(group: { events: number; ms: number }): void
  /** Events were settled at a destination. */
  settled(destination: string, count: { delivered: number; dead: number }): void
  /** Events will be sent to a destination again. */
  retried(destination: string, events: number): void
  /** A request was answered. @param operation its id, `none` for an unknown path */
  answered(operation: string, status: number, ms: number): void
  /** @param gauges `undefined` when the database cannot be asked */
  render(gauges: DestinationGauges[] | undefined): string
}

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]
const GROUP_EVENTS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]

export function createServiceMetrics(about: { version: string; startedAt: number; now: () => number }): ServiceMetrics {
  const events = createCounter('signalbook_events_total', 'Events answered with 202, by what was decided about them.', ['source', 'status'])
  const deliveries = createCounter('signalbook_deliveries_total', 'Events settled at a destination: delivered, or failed and now dead letters.', ['destination', 'outcome'])
  const retries = createCounter('signalbook_delivery_retries_total', 'Times that an event failed for the moment at a destination.', ['destination'])
  const groups = createHistogram('signalbook_group_commit_events', 'Events per commit of the log.', [], GROUP_EVENTS)
  const commits = createHistogram('signalbook_group_commit_duration_seconds', 'Time that a commit of the log took.', [], COMMIT_SECONDS)
  const requests = createHistogram('signalbook_http_request_duration_seconds', 'Time from the headers of a request to the end of its answer.', ['operation', 'status'], REQUEST_SECONDS)

  function renderGauges(gauges: DestinationGauges[]): string[] {
    const age = (at: number | undefined) => (at === undefined ? 0 : Math.max(0, about.now() - at) / SECOND)
    return [
      renderGauge('signalbook_backlog_events', 'Events that wait for a destination.', ['destination'], gauges.map((each) => ({ values: [each.destination], value: each.backlog }))),
      renderGauge('signalbook_oldest_pending_age_seconds', 'Age of the oldest event that waits for a destination; 0 when none does.', ['destination'],
        gauges.map((each) => ({ values: [each.destination], value: age(each.oldestReceivedAt) }))),
      renderGauge('signalbook_destination_state', 'The state that a destination is in.', ['destination', 'state'], gauges.map((each) => ({ values: [each.destination, each.state], value: 1 }))),
    ]
  }

  return {
    received: (source, status, count) => events.add([source, status], count),
    committed(group) {
      groups.observe([], group.events)
      commits.observe([], group.ms / SECOND)
    },
    settled(destination, { delivered, dead }) {
      if (delivered > 0) deliveries.add([destination, 'delivered'], delivered)
      if (dead > 0) deliveries.add([destination, 'failed'], dead)
    },
    retried: (destination, count) => retries.add([destination], count),
    answered: (operation, status, ms) => requests.observe([operation, `${Math.floor(status / 100)}xx`], ms / SECOND),
    render(gauges) {
      return [
        renderGauge('signalbook_info', 'The version that runs.', ['version'], [{ values: [about.version], value: 1 }]),
        renderGauge('process_start_time_seconds', 'When the process started, in seconds since 1970.', [], [{ values: [], value: about.startedAt / SECOND }]),
        renderGauge('process_resident_memory_bytes', 'Memory that the process holds.', [], [{ values: [], value: process.memoryUsage.rss() }]),
        renderGauge('signalbook_database_up', 'Whether the database answers.', [], [{ values: [], value: gauges ? 1 : 0 }]),
        ...renderGauges(gauges ?? []),
        ...[events, deliveries, retries, groups, commits, requests].map((series) => series.render()),
      ].join('')
    },
  }
}
