import { checkFields, credential } from './config-fields.ts'
import { ALL_NATIVE } from './destination.ts'
import type { LocalProvider } from './destination.ts'
import { localLimits, verbatim } from './verbatim.ts'

/** Takes every event and does nothing with it: for trying things out and for measuring. */
export const noop: LocalProvider = {
  transport: 'local',
  name: 'noop',
  aliases: [],
  secretKeys: ['api_key'],
  supports: ALL_NATIVE,
  identity: 'none',
  checkConfig: (config) => checkFields('noop', config, { api_key: credential }),
  limits: localLimits,
  encode: verbatim,
  async open() {
    return { deliver: async () => ({ kind: 'all', result: { kind: 'ok' } }), close: async () => undefined }
  },
}
