import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { expect } from 'chai'
import { closeDatabase, openDatabase } from '../../src/store/db.ts'
import { createTestDatabase, onEachEngine } from '../support/database.ts'

onEachEngine((engine) => {
  if (engine === 'sqlite') return
  describe('a connection that the server has ended', () => {
    it('makes every later command on it tell that the database is unavailable for now', async () => {
      const home = await createTestDatabase(engine)
      const database = openDatabase(home.target)
      const connection = (await database.knex.client.acquireConnection()) as { stream: Duplex; promise: () => { query: (sql: string) => Promise<unknown> } }
      const ended = once(connection.stream, 'close')
      connection.stream.destroy()
      await ended
      for (const statement of ['SELECT 1', 'ROLLBACK']) {
        const error: unknown = await connection.promise().query(statement).catch((reason: unknown) => reason)
        expect(error, statement).to.be.instanceOf(Error)
        expect(database.dialect.isUnavailable(error), String(error)).to.equal(true)
      }
      await database.knex.client.releaseConnection(connection)
      await closeDatabase(database)
      await home.remove()
    })
  })
})
