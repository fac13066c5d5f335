import { readObject, readText } from './read-field.ts'
import type { FieldName } from './read-field.ts'

/** Who an event is about: what a context says once it is read. */
export interface Context {
  userId: string | undefined
  anonymousId: string | undefined
  attributes: Record<string, unknown>
}

const NO_ATTRIBUTES: Record<string, unknown> = Object.freeze({})
const NO_CONTEXT: Context = Object.freeze({ userId: undefined, anonymousId: undefined, attributes: NO_ATTRIBUTES })

/** Reads a context as sent. @throws SignalbookError `invalid_request` naming the field */
export function readContext(value: unknown, named: FieldName): Context {
  const context = readObject(value, named, 'context')
  if (!context) return NO_CONTEXT
  return {
    userId: readText(context['user_id'], named, 'context.user_id'),
    anonymousId: readText(context['anonymous_id'], named, 'context.anonymous_id'),
    attributes: readObject(context['attributes'], named, 'context.attributes') ?? NO_ATTRIBUTES,
  }
}

/** Lays an item's context over the batch's: field by field the item wins, of the attributes key by key. */
export function mergeContext(batch: Context, item: Context): Context {
  if (batch === NO_CONTEXT) return item
  return {
    userId: item.userId ?? batch.userId,
    anonymousId: item.anonymousId ?? batch.anonymousId,
    // Spreading defines own keys and never assigns, so that a key named __proto__ reaches nobody's prototype.
    attributes: { ...batch.attributes, ...item.attributes },
  }
}
