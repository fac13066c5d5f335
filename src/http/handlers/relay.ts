import { MINUTE, parseDuration } from '../../duration.ts'
import { invalid } from '../../error.ts'
import { acceptCalls } from '../../relay/accept/accept.ts'
import type { AcceptDeps, AcceptedItem } from '../../relay/accept/accept.ts'
import { flush } from '../../relay/operate/flush.ts'
import type { FlushDeps } from '../../relay/operate/flush.ts'
import { deprecationHeaders } from '../deprecation-headers.ts'
import type { Handler, HandlersOf, Input } from '../operation.ts'

export type RelayHandlerDeps = AcceptDeps & FlushDeps & { intake: IntakeMeter }

/** Counts for the metrics. */
export interface IntakeMeter {
  received(source: string, status: string, count: number): void
}

type SingleCall = 'track' | 'identify' | 'group' | 'page' | 'alias'

const STATUSES = ['accepted', 'quarantined', 'sampled_out', 'duplicate'] as const
const LONGEST_WAIT_MS = MINUTE

/** The calls of applications: checked, stored, answered with 202 when they are on disk. */
export function relayHandlers(deps: RelayHandlerDeps): HandlersOf<SingleCall | 'batch' | 'flush'> {
  return {
    track: single(deps, 'track'),
    identify: single(deps, 'identify'),
    group: single(deps, 'group'),
    page: single(deps, 'page'),
    alias: single(deps, 'alias'),

    async batch({ body, request, snapshot }) {
      const items = await acceptCalls(deps, {
        snapshot,
        source: body.source,
        calls: body.events,
        isBatch: true,
        batchContext: body.context ?? undefined,
        sentAt: body.sent_at ?? undefined,
        request,
      })
      const count = (status: AcceptedItem['status']) => items.filter((item) => item.status === status).length
      for (const status of STATUSES) if (count(status) > 0) deps.intake.received(body.source, status, count(status))
      return {
        status: 202,
        headers: deprecationHeaders(items.map(({ deprecation }) => deprecation)),
        body: {
          status: 'accepted',
          accepted: count('accepted'),
          quarantined: count('quarantined'),
          sampled_out: count('sampled_out'),
          duplicates: count('duplicate'),
          items: items.flatMap(({ index, ...item }) => (isUnremarkable(item) ? [] : [{ index, ...toWire(item) }])),
        },
      }
    },

    async flush({ body, query }) {
      const source = body?.source ?? undefined
      const waitMs = query.wait === undefined ? undefined : parseDuration(query.wait, 'wait')
      if (waitMs !== undefined && waitMs > LONGEST_WAIT_MS) throw invalid('wait must be at most 1m')
      const { pending, destinations } = await flush(deps, { source, waitMs })
      return { status: 202, body: { status: 'accepted', pending, ...(waitMs === undefined ? {} : { destinations }) } }
    },
  }
}

function single<K extends SingleCall>(deps: RelayHandlerDeps, type: K): Handler<K> {
  const handler: Handler<SingleCall> = async (input: Input<SingleCall>) => {
    const [item] = (await acceptCalls(deps, {
      snapshot: input.snapshot,
      source: input.body.source,
      calls: [{ ...input.body, type }],
      isBatch: false,
      sentAt: input.body.sent_at ?? undefined,
      idempotencyKey: input.header['idempotency-key'],
      request: input.request,
    })) as [AcceptedItem]
    deps.intake.received(input.body.source, item.status, 1)
    return { status: 202, headers: deprecationHeaders([item.deprecation]), body: toWire(item) }
  }
  // The five calls differ in their bodies only, which acceptCalls reads field by field.
  return handler as unknown as Handler<K>
}

function toWire(item: Omit<AcceptedItem, 'index'>) {
  return { status: item.status, message_id: item.messageId, ...(item.violations?.length ? { violations: item.violations } : {}) }
}

function isUnremarkable(item: Omit<AcceptedItem, 'index'>): boolean {
  return item.status === 'accepted' && !item.violations?.length
}
