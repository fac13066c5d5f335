import { Ajv } from 'ajv'
import type { ValidateFunction } from 'ajv'
import document from '../contract/document.json' with { type: 'json' }
import type { Operation } from '../contract/operations.ts'

/** Holds one answer against the contract. @throws Error that says where they differ */
export type ResponseCheck = (operation: Operation, status: number, body: unknown) => void

/**
 * Checks every answer, errors included: its status must be listed for the operation and its body must have the shape.
 * For tests; it costs as much as the answer itself.
 */
export function createResponseCheck(): ResponseCheck {
  const ajv = new Ajv({ strict: false, validateFormats: false, schemas: [{ ...(document as object), $id: 'contract' }] })
  const paths = document.paths as unknown as Record<string, Record<string, { responses: Record<string, { $ref?: string; content?: object }> }>>
  const responses = document.components.responses as unknown as Record<string, { content?: object }>
  const compiled = new Map<string, ValidateFunction | undefined>()

  const validatorFor = (operation: Operation, status: number): ValidateFunction | undefined => {
    const listed = paths[operation.path]?.[operation.method]?.responses[String(status)]
    if (!listed) throw new Error(`${operation.id} answered ${status}, which the contract does not list for it`)
    const shared = listed.$ref?.split('/').pop()
    const response = shared === undefined ? listed : responses[shared]
    if (!response?.content || !('application/json' in response.content)) return undefined
    const place = shared === undefined ? `/paths/${escape(operation.path)}/${operation.method}/responses/${status}` : `/components/responses/${shared}`
    return ajv.compile({ $ref: `contract#${place}/content/application~1json/schema` })
  }

  return (operation, status, body) => {
    const key = `${operation.id} ${status}`
    if (!compiled.has(key)) compiled.set(key, validatorFor(operation, status))
    const validate = compiled.get(key)
    if (validate && !validate(body)) throw new Error(`${key}: the answer is not what the contract says: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 500)}`)
  }
}

function escape(path: string): string {
  return encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'))
}
