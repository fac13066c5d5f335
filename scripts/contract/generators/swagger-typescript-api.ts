import type { Generator } from './generator.ts'

export const swaggerTypescriptApi: Generator = {
  name: 'swagger-typescript-api',
  client: 'swagger-typescript-api.ts',
  // Failures as values: what is thrown has no type in TypeScript.
  command: ['swagger-typescript-api', 'generate', '--path', 'openapi.json', '--output', 'sdk', '--name', 'api.ts', '--disable-throw-on-error', '--silent'],
}
