import { formatTime } from '../time.ts'
import type { StoredSpec } from '../store/event-specs.ts'
import type { EventSpec } from './event-spec.ts'

/** A version as everybody outside sees it: its document and what the registry adds, in wire spelling. */
export type PublishedSpec = EventSpec & { published_at: string; published_by: string | null; updated_at: string }

/** The view of a stored version. */
export function publishedSpec({ spec, publishedAt, publishedBy, updatedAt }: StoredSpec): PublishedSpec {
  return { ...spec, published_at: formatTime(publishedAt), published_by: publishedBy ?? null, updated_at: formatTime(updatedAt) }
}
