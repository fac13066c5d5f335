import type { Generator } from './generator.ts'
import { heyApi } from './hey-api.ts'
import { oazapfts } from './oazapfts.ts'
import { openapiFetch } from './openapi-fetch.ts'
import { orval } from './orval.ts'
import { swaggerTypescriptApi } from './swagger-typescript-api.ts'

export const GENERATORS: readonly Generator[] = [openapiFetch, heyApi, orval, swaggerTypescriptApi, oazapfts]
