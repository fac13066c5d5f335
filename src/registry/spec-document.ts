import { invalid } from '../error.ts'
import { assertPlainJson } from '../plain-json.ts'
import { readYaml } from './yaml.ts'

/**
 * Reads an event spec as it was sent. The same content in YAML and in JSON reads equal. The caller bounds the size.
 * @throws SignalbookError `invalid_request` that says where the text is wrong and what would be right
 */
export function readSpecDocument(text: string, mediaType: 'json' | 'yaml'): Record<string, unknown> {
  const document = mediaType === 'yaml' ? readYaml(text) : readJson(text)
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw invalid(`the body must be an object with the keys of an event spec, such as namespace and name; got ${nameOf(document)}`)
  }
  assertPlainJson(document)
  return document as Record<string, unknown>
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, '')) // editors on Windows begin a file with a byte order mark; YAML allows it as well
  } catch (error) {
    throw invalid(`the body is not valid JSON: ${(error as Error).message.slice(0, 200)}`)
  }
}

function nameOf(document: unknown): string {
  if (document === null) return 'null'
  return Array.isArray(document) ? 'a list' : `a ${typeof document}`
}
