import type { Generator } from './generator.ts'

export const oazapfts: Generator = {
  name: 'oazapfts',
  client: 'oazapfts.ts',
  command: ['oazapfts', 'openapi.json', 'sdk/api.ts'],
}
