export type JsonObject = Record<string, unknown>

/** The parts of an operation that the generator reads. */
export interface OperationObject extends JsonObject {
  operationId: string
  'x-required-role': string
  'x-bootstrap'?: boolean
  requestBody?: { required?: boolean; content: Record<string, { schema: JsonObject }> }
}

/** The parts of the bundled OpenAPI document that the generator reads. */
export interface OpenApiDocument extends JsonObject {
  paths: Record<string, Record<string, OperationObject>>
  components: { schemas: Record<string, JsonObject> } & Record<string, JsonObject>
}

export const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const

/** Every operation of a document with its method and path, in the order of the document. */
export function operationsOf(document: OpenApiDocument): { method: string; path: string; operation: OperationObject }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => ({ method, path, operation: item[method] as OperationObject })),
  )
}
