import type { Database } from '../db.ts'
import type { ThreadConnection } from './connection.ts'

/** Runs a program on the one connection of a database whose dialect `hasPrograms`, between its transactions and never inside one. @param handedOver memory of the input that the thread gets instead of a copy */
export async function runProgram<Input, Output>(db: Database, name: string, input: Input, handedOver: ArrayBuffer[] = []): Promise<Output> {
  const connection = (await db.knex.client.acquireConnection()) as ThreadConnection
  try {
    return (await connection.program(name, input, handedOver)) as Output
  } finally {
    await db.knex.client.releaseConnection(connection)
  }
}
