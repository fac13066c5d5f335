import { invalid } from '../error.ts'
import { compileGlobs, explainBadGlob } from '../registry/glob.ts'
import type { AnnouncementType, WebhookFilter } from '../store/webhooks.ts'

const NAMESPACE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

/** Whether a webhook wants to hear of this. */
export function wantsAnnouncement(filter: WebhookFilter, type: AnnouncementType, event: { namespace: string; name: string }): boolean {
  if (filter.types.length > 0 && !filter.types.includes(type)) return false
  return compileGlobs(filter.namespaces.map(globOf))(event.namespace, event.name)
}

/** @throws SignalbookError `invalid_request` naming the entry that is neither a namespace nor a glob */
export function assertFilter(filter: WebhookFilter): void {
  filter.namespaces.forEach((entry, index) => {
    if (NAMESPACE.test(entry)) return
    const fault = explainBadGlob(entry)
    if (fault) throw invalid(`namespaces[${index}] is neither a namespace, such as shop, nor a pattern over namespace/name: ${fault}`)
  })
}

/** A bare namespace means everything in it. */
function globOf(entry: string): string {
  return NAMESPACE.test(entry) ? `${entry}/*` : entry
}
