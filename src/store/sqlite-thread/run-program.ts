import type { Database } from '../db.ts'
import type { ThreadConnection } from './connection.ts'

/** Runs a program on the one connection of a database whose dialect `hasPrograms`, between its transactions and never inside one. */
export async function runProgram<Input, Output>(db: Database, name: string, input: Input): Promise<Output> {
  const connection = (await db.knex.client.acquireConnection()) as ThreadConnection
  try {
    return (await connection.program(name, input)) as Output
  } finally {
    await db.knex.client.releaseConnection(connection)
  }
}
