import type { operations } from '../contract/types.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import type { Actor } from '../store/actor.ts'

export type OperationId = keyof operations

type Parameters<K extends OperationId, Place extends 'path' | 'query' | 'header'> = operations[K]['parameters'] extends { [P in Place]?: infer T }
  ? NonNullable<T>
  : Record<string, never>

type Lowercased<T> = { [Name in keyof T as Name extends string ? Lowercase<Name> : Name]: T[Name] }

type Body<K extends OperationId> = operations[K] extends { requestBody: { content: { 'application/json': infer T } } }
  ? T
  : operations[K] extends { requestBody?: { content: { 'application/json': infer T } } }
    ? T | undefined
    : undefined

/** What is known of a request beside what the contract describes. */
export interface RequestFacts {
  id: string
  ip: string | undefined
  userAgent: string | undefined
  /** Path and query as sent. */
  url: string
  /** Epoch milliseconds. */
  receivedAt: number
  /** The body as it came, decompressed and without a byte order mark. */
  body?: Buffer
}

/** The input of a handler: checked against the contract, with the snapshot that was in force when the request arrived. */
export interface Input<K extends OperationId> {
  path: Parameters<K, 'path'>
  query: Parameters<K, 'query'>
  /** Header parameters of the contract, in lower case as Node has them. */
  header: Lowercased<Parameters<K, 'header'>>
  body: Body<K>
  request: RequestFacts
  actor: Actor
  snapshot: Snapshot
}

type SuccessStatus = 200 | 201 | 202 | 204 | 304 | 503

type Answer<Status, Response> = Response extends { content: infer Media }
  ? { status: Status; body: Media[keyof Media]; headers?: Record<string, string> }
  : { status: Status; headers?: Record<string, string> }

/** The answers that the contract lists for an operation; the failures are thrown as `SignalbookError`. */
export type Output<K extends OperationId> = {
  [Status in keyof operations[K]['responses'] & SuccessStatus]: Answer<Status, operations[K]['responses'][Status]>
}[keyof operations[K]['responses'] & SuccessStatus]

export type Handler<K extends OperationId> = (input: Input<K>) => Promise<Output<K>>

/** One handler per operation of the contract: a missing one, or a status or body that the contract does not list, does not compile. */
export type Handlers = { [K in OperationId]: Handler<K> }

/** The handlers of some operations; each resource's file makes its own. */
export type HandlersOf<K extends OperationId> = Pick<Handlers, K>
