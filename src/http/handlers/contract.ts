import { dump } from 'js-yaml'
import document from '../../contract/document.json' with { type: 'json' }
import type { HandlersOf } from '../operation.ts'

/** The published contract itself. */
export function contractHandlers(): HandlersOf<'getOpenapiJson' | 'getOpenapiYaml'> {
  // Repeated parts are written out: not every reader of YAML follows aliases.
  const yaml = dump(document, { noRefs: true, lineWidth: 120 })
  return {
    async getOpenapiJson() {
      return { status: 200, body: document }
    },
    async getOpenapiYaml() {
      return { status: 200, headers: { 'Content-Type': 'application/yaml; charset=utf-8' }, body: yaml }
    },
  }
}
