import document from '../../src/contract/document.json' with { type: 'json' }
import type { Operation } from '../../src/contract/operations.ts'

/** Path parameters that name nothing: enough to be let in or refused, without changing anything. */
const PARAMETERS: Record<string, string> = { namespace: 'none', name: 'none', version: '1-0-0', from: '1-0-0', to: '2-0-0', id: '999999', delivery_id: '999999', key: 'hooks_enabled' }

interface MediaObject {
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

/** A request that the contract allows, made from its own examples. */
export function sampleRequest(operation: Operation): { path: string; body: Record<string, unknown> | undefined } {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => PARAMETERS[name] ?? 'none')
  const paths = document.paths as unknown as Record<string, Record<string, { requestBody?: { content: Record<string, MediaObject> } }>>
  const media = paths[operation.path]?.[operation.method]?.requestBody?.content['application/json']
  const example = media?.example ?? Object.values(media?.examples ?? {})[0]?.value
  return { path, body: example as Record<string, unknown> | undefined }
}
