import type { Generator } from './generator.ts'

export const orval: Generator = {
  name: 'orval',
  client: 'orval.ts',
  beside: { 'orval-send.ts': 'send.ts' },
  command: ['orval', '--config', 'orval.config.mjs'],
  files: {
    // The address and the key are known when the SDK runs, so they come from a function of the user's own.
    'orval.config.mjs': `export default {
  signalbook: {
    input: './openapi.json',
    output: { target: './sdk/api.ts', client: 'fetch', override: { mutator: { path: './send.ts', name: 'send' } } },
  },
}
`,
  },
}
