import { expect } from 'chai'
import type { Knex } from 'knex'
import { closeDatabase, openDatabase } from '../../src/store/db.ts'
import type { Database } from '../../src/store/db.ts'
import { migrate } from '../../src/store/migrate.ts'
import type { Migration } from '../../src/store/migrate.ts'
import { registryMigrations } from '../../src/store/migrations/registry/index.ts'
import { RELAY_MIGRATIONS_TABLE, relayMigrations } from '../../src/store/migrations/relay/index.ts'
import { unpackEvents } from '../../src/store/relay/event-pack.ts'
import type { EventPackRow } from '../../src/store/relay/event-pack.ts'
import { toRelayEvent } from '../../src/store/relay/relay-quarantine.ts'
import type { QuarantineRow } from '../../src/store/relay/relay-quarantine.ts'
import { createTestDatabase, onEachEngine } from '../support/database.ts'
import type { EngineName, TestDatabase } from '../support/database.ts'

const ROWS = 50
const VERDICTS = ['accepted', 'quarantined', 'sampled_out', 'discarded']

type Row = Record<string, unknown>
type Contents = Record<string, Row[]>

/** The tables that hold data; the bookkeeping of migrations is none. */
async function tablesOf({ knex }: Database, engine: EngineName): Promise<string[]> {
  const names =
    engine === 'sqlite'
      ? (await knex('sqlite_master').where({ type: 'table' }).select<{ name: string }[]>('name')).map(({ name }) => name)
      : ((await knex.raw('SHOW TABLES')) as [Record<string, string>[]])[0].map((row) => Object.values(row)[0] as string)
  return names.filter((name) => !/^sqlite_|schema_migrations/.test(name)).sort()
}

/** A value that the column takes, another one for each row; names are as long as the column allows, long texts are JSON. */
function valueFor(name: string, info: Knex.ColumnInfo, n: number): unknown {
  // What migrations read of a row must make sense.
  if (name === 'verdict') return VERDICTS[n % VERDICTS.length]
  if (name === 'destinations') return `,${n},`
  if (/int|bool/i.test(info.type)) return /tiny|bool/i.test(info.type) ? n % 2 : n
  if (/text/i.test(info.type)) return JSON.stringify({ row: n, place: 'Zürich ☂ 𝄞' })
  return `${n} zürich ☂ `.padEnd(Number(info.maxLength), 'x').slice(0, Number(info.maxLength))
}

/** Puts rows into every table, each column filled. A table that comes with a row of its own keeps it. */
async function fill(db: Database, engine: EngineName): Promise<void> {
  for (const table of await tablesOf(db, engine)) {
    if (FILLED_BY_A_MIGRATION.has(table)) continue
    const present = await db.knex(table)
    if (present.length > 0) continue
    const columns = Object.entries(await db.knex(table).columnInfo())
    const rows = Array.from({ length: ROWS }, (_, index) => Object.fromEntries(columns.map(([name, info]) => [name, valueFor(name, info, index + 1)])))
    await db.knex(table).insert(rows)
  }
}

async function read(db: Database, engine: EngineName): Promise<Contents> {
  const contents: Contents = {}
  for (const table of await tablesOf(db, engine)) contents[table] = (await db.knex(table)).map((row: Row) => ({ ...row }))
  return contents
}

/** The rows of `after` with only the tables and columns that were there before. */
function asBefore(before: Contents, after: Contents): Contents {
  return Object.fromEntries(
    Object.entries(before).map(([table, rows]) => {
      const columns = Object.keys(rows[0] ?? {})
      return [table, (after[table] ?? []).map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])))]
    }),
  )
}

const FILLED_BY_A_MIGRATION = new Set(['relay_packs', 'relay_message_ids'])

/** The migrations that take rows out of a table, by name: where they are to be found afterwards. */
const MOVES: Record<string, { from: string; check: (before: Row[], after: Contents) => void }> = {
  '0007-pack-events': {
    from: 'relay_events',
    check(before, after) {
      const packed = (after['relay_packs'] as unknown as EventPackRow[]).flatMap(unpackEvents)
      const apart = (after['relay_events'] as Row[]).map((row) => toRelayEvent(row as unknown as QuarantineRow))
      expect(apart.map(({ verdict }) => verdict)).not.to.include('accepted')
      expect([...packed, ...apart].sort((one, other) => one.seq - other.seq)).to.deep.equal(before.map((row) => toRelayEvent(row as unknown as QuarantineRow)))
      expect(after['relay_message_ids']).to.have.deep.members(before.map(({ seq, dedupe_key }) => ({ seq, dedupe_key })))
    },
  },
  '0008-quarantine': {
    from: 'relay_events',
    check(before, after) {
      expect(before).not.to.have.length(0)
      expect(after['relay_quarantine']).to.deep.equal(before.map(({ dedupe_key: _, ...row }) => row))
    },
  },
}

const SCHEMAS: [name: string, migrations: Migration[], table: string][] = [
  ['registry', registryMigrations, 'schema_migrations'],
  ['relay', relayMigrations, RELAY_MIGRATIONS_TABLE],
]

onEachEngine((engine) => {
  for (const [name, migrations, table] of SCHEMAS) {
    describe(`the migrations of the ${name}`, function () {
      this.timeout(60_000)
      let home: TestDatabase
      let db: Database

      before(async () => {
        home = await createTestDatabase(engine)
        db = openDatabase(home.target)
      })
      after(async () => {
        await closeDatabase(db)
        await home.remove()
      })

      migrations.forEach((migration, index) => {
        it(`${migration.name} keeps every row that is there, and says that it was applied`, async () => {
          const before = await read(db, engine)
          for (const [filled, rows] of Object.entries(before)) if (!FILLED_BY_A_MIGRATION.has(filled)) expect(rows, filled).not.to.have.length(0)
          const moves = MOVES[migration.name]
          expect(await migrate(db, migrations.slice(0, index + 1), table)).to.deep.equal([migration.name])
          const after = await read(db, engine)
          const { [moves?.from ?? '']: moved = [], ...others } = before
          const kept = Object.fromEntries(Object.entries(others).filter(([, rows]) => rows.length > 0))
          expect(asBefore(kept, after)).to.deep.equal(kept)
          moves?.check(moved, after)
          await fill(db, engine)
        })
      })

      it('do nothing more when they are run again', async () => {
        const before = await read(db, engine)
        expect(await migrate(db, migrations, table)).to.deep.equal([])
        expect(await read(db, engine)).to.deep.equal(before)
      })

      it('refuse a database that a newer release has written', async () => {
        const newer: Migration = { name: '9999-of-a-newer-release', up: async () => undefined }
        await migrate(db, [...migrations, newer], table)
        let message = ''
        await migrate(db, migrations, table).catch((error: Error) => (message = error.message))
        expect(message).to.match(/^a newer release has written this database \(9999-of-a-newer-release\)/)
      })
    })
  }
})
