import { bool, checkFields, credential } from './config-fields.ts'
import { ALL_NATIVE } from './destination.ts'
import type { LocalProvider } from './destination.ts'
import { localLimits, verbatim } from './verbatim.ts'

/** Writes one JSON line per event to the service's standard output. */
export const stdout: LocalProvider = {
  transport: 'local',
  name: 'stdout',
  aliases: ['console'],
  secretKeys: ['api_key'],
  supports: ALL_NATIVE,
  identity: 'none',
  checkConfig: (config) => checkFields('stdout', config, { api_key: credential, pretty: bool }),
  limits: localLimits,
  encode: verbatim,
  async open(config, { stdout: stream }) {
    const isPretty = config['pretty'] === true
    return {
      async deliver(items) {
        const text = items.map((item) => (isPretty ? JSON.stringify(JSON.parse(item.body), null, 2) : item.body) + '\n').join('')
        const error = await new Promise<Error | null | undefined>((resolve) => stream.write(text, resolve))
        return { kind: 'all', result: error ? { kind: 'retry', message: `standard output: ${error.message}` } : { kind: 'ok' } }
      },
      close: async () => undefined,
    }
  },
}
