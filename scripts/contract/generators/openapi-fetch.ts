import type { Generator } from './generator.ts'

export const openapiFetch: Generator = {
  name: 'openapi-typescript + openapi-fetch',
  client: 'openapi-fetch.ts',
  command: ['openapi-typescript', 'openapi.json', '--output', 'sdk/api.ts'],
}
