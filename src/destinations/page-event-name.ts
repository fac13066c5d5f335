import type { CanonicalEvent } from './canonical-event.ts'
import { wrong } from './config-fields.ts'
import type { Field } from './config-fields.ts'
import type { ProviderConfig } from './destination.ts'

/** Segment's wording; RudderStack's connectors say "Viewed {name} Page" or "Loaded a Page", hence a setting. */
const DEFAULT_TEMPLATE = 'Viewed {name}'
const PLACEHOLDER = '{name}'

/** Checks the setting `page_event_name`: the name of the event that a page call becomes, with `{name}` for the page's. */
export const pageEventNameField: Field = (value, name) => {
  if (typeof value !== 'string' || value.trim() === '' || value.length > 200 || /[\u0000-\u001f\u007f]/.test(value)) {
    throw wrong('page_event_name', `${name} must be a text of 1 to 200 characters on one line, in which {name} stands for the page's name`)
  }
}

/** The name of the event that a page call becomes at vendors without page views. */
export function pageEventName(event: Pick<CanonicalEvent, 'name'>, config: ProviderConfig): string {
  const template = (config['page_event_name'] ?? DEFAULT_TEMPLATE) as string
  // A function, since a name with "$&" in it must stand as it is.
  return template.replaceAll(PLACEHOLDER, () => event.name ?? 'Page')
}
