import type { components } from '../../contract/types.ts'
import { compileSpec } from '../../registry/compile.ts'
import type { EventSpec } from '../../registry/event-spec.ts'
import { compileGlobs } from '../../registry/glob.ts'
import { measureImpact } from '../../relay/operate/impact.ts'
import type { ImpactDeps } from '../../relay/operate/impact.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'

/** How many recently relayed events a candidate would refuse, as a dry run answers it. */
export async function impactOf(deps: ImpactDeps, snapshot: Snapshot, spec: EventSpec): Promise<components['schemas']['PublicationImpact']> {
  const compiled = compileSpec(spec)
  const hasName = spec.type === 'track' || spec.type === 'page'
  const impact = await measureImpact(deps, {
    type: spec.type,
    names: hasName ? [spec.event_name, spec.name, `${spec.namespace}/${spec.name}`] : undefined,
    isSentBy: (name) => {
      const source = snapshot.source(name)
      return source !== undefined && compileGlobs(source.events)(spec.namespace, spec.name)
    },
    validate: (payload, attributes) => compiled.validate(payload, attributes),
  })
  return {
    scanned: impact.scanned,
    checked: impact.checked,
    refused: impact.refused,
    limited_by: impact.limitedBy ?? null,
    sources: impact.sources.map(({ samples, ...counts }) => ({
      ...counts,
      samples: samples.map(({ messageId, violations, event }) => ({ message_id: messageId, violations, event: { ...event } })),
    })),
  }
}
