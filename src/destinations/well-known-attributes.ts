import type { CanonicalEvent } from './canonical-event.ts'

/** What vendors have fields of their own for. Absent is what the sender did not say or said as anything but a text. */
export interface WellKnown {
  ip?: string
  userAgent?: string
  locale?: string
  timezone?: string
  page?: Texts<'url' | 'path' | 'title' | 'referrer' | 'search'>
  campaign?: Texts<'name' | 'source' | 'medium' | 'term' | 'content'>
  app?: Texts<'name' | 'version' | 'build' | 'namespace'>
  os?: Texts<'name' | 'version'>
  device?: Texts<'id' | 'type' | 'manufacturer' | 'model'>
  library?: Texts<'name' | 'version'>
  groupId?: string
}

type Texts<Key extends string> = Partial<Record<Key, string>>

/** Senders agree on the names in Segment's context, not on how they are spelled; the first spelling that holds a text wins. */
const SPELLINGS = {
  ip: ['ip', 'ip_address', 'ipAddress'],
  userAgent: ['userAgent', 'user_agent'],
  locale: ['locale'],
  timezone: ['timezone', 'time_zone', 'timeZone'],
  groupId: ['groupId', 'group_id'],
} as const

const PARTS = {
  page: ['url', 'path', 'title', 'referrer', 'search'],
  campaign: ['name', 'source', 'medium', 'term', 'content'],
  app: ['name', 'version', 'build', 'namespace'],
  os: ['name', 'version'],
  device: ['id', 'type', 'manufacturer', 'model'],
  library: ['name', 'version'],
} as const

/**
 * Reads the attributes of an event's context that have an agreed meaning.
 * Texts are never empty; numbers count as their text (versions and ids are often sent so); an object without any known text is absent.
 */
export function wellKnown(event: Pick<CanonicalEvent, 'context'>): WellKnown {
  const { attributes } = event.context
  const found: Record<string, unknown> = {}
  for (const [name, spellings] of Object.entries(SPELLINGS)) {
    const text = spellings.map((spelling) => textOf(attributes, spelling)).find((each) => each !== undefined)
    if (text !== undefined) found[name] = text
  }
  for (const [name, parts] of Object.entries(PARTS)) {
    const group = Object.hasOwn(attributes, name) ? attributes[name] : undefined
    if (typeof group !== 'object' || group === null || Array.isArray(group)) continue
    const texts = parts.flatMap((part) => {
      const text = textOf(group as Record<string, unknown>, part)
      return text === undefined ? [] : [[part, text] as const]
    })
    if (texts.length > 0) found[name] = Object.fromEntries(texts)
  }
  return found
}

function textOf(holder: Record<string, unknown>, key: string): string | undefined {
  const value = Object.hasOwn(holder, key) ? holder[key] : undefined
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}
