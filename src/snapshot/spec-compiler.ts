import { compileSpec } from '../registry/compile.ts'
import { deprecationOf } from '../registry/deprecation.ts'
import type { Database } from '../store/db.ts'
import { specById } from '../store/event-specs.ts'
import type { SpecHead } from '../store/event-specs.ts'
import type { PlannedSpec } from './planned-spec.ts'

export interface SpecCompiler {
  /** The version ready to judge events; compiled at its first use. */
  compiled(head: SpecHead): Promise<PlannedSpec>
}

// One compiled version takes some tens of kilobytes; services that send more kinds of event than this recompile the rarest.
const KEPT = 2000

/** Compiles versions when they are first needed (12 ms each, never per request) and keeps those used last. */
export function createSpecCompiler(db: Database): SpecCompiler {
  const kept = new Map<string, Promise<PlannedSpec>>()
  return {
    compiled(head) {
      // The revision is part of the key, since a change of status, or of what a deprecation says, alters the document.
      const key = `${head.id}:${head.revision}`
      const known = kept.get(key)
      const spec = known ?? compile(db, head)
      kept.delete(key)
      kept.set(key, spec)
      if (!known) {
        spec.catch(() => kept.delete(key))
        if (kept.size > KEPT) kept.delete(kept.keys().next().value as string)
      }
      return spec
    },
  }
}

async function compile(db: Database, head: SpecHead): Promise<PlannedSpec> {
  const stored = await specById(db.knex, head.id)
  if (!stored) throw new Error(`event spec ${head.namespace}/${head.name}@${head.version} vanished from the database`)
  const { spec, updatedAt } = stored
  const compiled = compileSpec(spec)
  const sampling = spec.sampling ?? spec.hooks?.sampling
  return {
    id: `${spec.namespace}/${spec.name}@${spec.version}`,
    status: spec.status,
    // Nothing else of a version that is in force can have changed since.
    deprecation: spec.status === 'deprecated' ? { since: updatedAt, ...deprecationOf(spec) } : undefined,
    sampling: { strategy: sampling?.strategy ?? 'none', rate: sampling?.rate ?? 1 },
    validationMode: spec.hooks?.validation?.mode,
    validate: (payload, contextAttributes) => compiled.validate(payload, contextAttributes),
  }
}
