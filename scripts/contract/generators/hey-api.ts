import type { Generator } from './generator.ts'

export const heyApi: Generator = {
  name: '@hey-api/openapi-ts',
  client: 'hey-api.ts',
  command: ['openapi-ts', '--input', 'openapi.json', '--output', 'sdk', '--client', '@hey-api/client-fetch', '--no-log-file'],
}
