import { MINUTE, parseDuration } from '../../duration.ts'
import { SignalbookError, invalid } from '../../error.ts'
import { acceptCalls } from '../../relay/accept/accept.ts'
import type { AcceptDeps, CallOutcome } from '../../relay/accept/accept.ts'
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

const STATUSES = ['accepted', 'quarantined', 'sampled_out', 'duplicate', 'blocked'] as const
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
      const outcomes = await acceptCalls(deps, {
        snapshot,
        source: body.source,
        calls: body.events,
        isBatch: true,
        defaults: body,
        request,
      })
      const count = (status: CallOutcome['status']) => outcomes.filter((outcome) => outcome.status === status).length
      for (const status of STATUSES) if (count(status) > 0) deps.intake.received(body.source, status, count(status))
      // Nothing of it was stored, so it must not look like success to a sender that reads only the status.
      if (count('blocked') === outcomes.length) throw blocked(outcomes)
      return {
        status: 202,
        headers: deprecationHeaders(outcomes.map(({ deprecation }) => deprecation)),
        body: {
          status: 'accepted',
          accepted: count('accepted'),
          quarantined: count('quarantined'),
          sampled_out: count('sampled_out'),
          duplicates: count('duplicate'),
          blocked: count('blocked'),
          items: outcomes.filter(isRemarkable).map((outcome) => ({ index: outcome.index, ...toWire(outcome, outcome.status) })),
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
    const [outcome] = (await acceptCalls(deps, {
      snapshot: input.snapshot,
      source: input.body.source,
      calls: [{ ...input.body, type }],
      isBatch: false,
      idempotencyKey: input.header['idempotency-key'],
      request: input.request,
    })) as [CallOutcome]
    const { status, deprecation } = outcome
    deps.intake.received(input.body.source, status, 1)
    if (status === 'blocked') throw blocked([outcome])
    return { status: 202, headers: deprecationHeaders([deprecation]), body: toWire(outcome, status) }
  }
  // The five calls differ in their bodies only, which acceptCalls reads field by field.
  return handler as unknown as Handler<K>
}

function toWire<S>({ messageId, violations }: CallOutcome, status: S) {
  return { status, message_id: messageId, ...(violations?.length ? { violations } : {}) }
}

function isRemarkable({ status, violations }: CallOutcome): boolean {
  return status !== 'accepted' || violations !== undefined
}

/** The refusal of a call, or of a batch, of which nothing was stored. */
function blocked(outcomes: CallOutcome[]): SignalbookError {
  const isBatch = outcomes.length > 1
  const violations = outcomes.flatMap(({ index, violations: each = [] }) => each.map((violation) => ({ ...(isBatch ? { index } : {}), ...violation })))
  const what = isBatch ? 'every event of the batch violates its event spec; the first' : 'the event violates its event spec'
  return new SignalbookError('invalid_request', `${what}: ${violations[0]?.message ?? ''}`, { extra: { violations } })
}
