import { operationsOf } from './document-types.ts'
import type { OpenApiDocument } from './document-types.ts'

/** Writes the operation table: what routing and authorisation know of each operation. */
export function renderOperations(document: OpenApiDocument): string {
  const rows = operationsOf(document).map(({ method, path, operation }) => {
    const row = {
      id: operation.operationId,
      method,
      path,
      role: operation['x-required-role'],
      bootstrap: operation['x-bootstrap'] === true,
    }
    return `  ${JSON.stringify(row)},`
  })
  return `/** What an operation demands of its caller's key. */
export type RequiredRole = 'none' | 'viewer' | 'publisher' | 'admin'

/** One operation of the contract; \`path\` in OpenAPI's spelling, such as \`/v1/events/{namespace}/{name}\`. */
export interface Operation {
  id: string
  method: string
  path: string
  role: RequiredRole
  /** Open without a key while no key exists. */
  bootstrap: boolean
}

export const OPERATIONS: readonly Operation[] = [
${rows.join('\n')}
]
`
}
