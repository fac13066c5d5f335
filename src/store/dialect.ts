import type { Knex } from 'knex'

/** What `DATABASE_URL` names, taken apart by `config.ts`. */
export type DatabaseTarget =
  | { engine: 'sqlite'; filename: string; /** Through Node's own SQLite in a thread, and not the sqlite3 package: for the relay's log. */ inThread?: true }
  | { engine: 'mysql'; host: string; port: number; user: string; password: string; database: string }

/**
 * Everything in which SQLite and MySQL/MariaDB differ. The rest of the code asks these questions and never the engine's name.
 */
export interface Dialect {
  /** Whether `runProgram` can be used: several statements in one step, past knex. */
  readonly hasPrograms: boolean
  /** For people: what the start line says, without credentials. */
  readonly label: string
  knexConfig(): Knex.Config
  /** Runs `work` while no other process of this database migrates; a crashed holder's lock frees itself. */
  withMigrationLock(knex: Knex, work: () => Promise<void>): Promise<void>
  /** The primary key of a table that is ordered by numbers which the caller gives. */
  sequenceKey(table: Knex.CreateTableBuilder, column: string): Knex.ColumnBuilder
  /** Text that can be long: documents, bodies. */
  longText(table: Knex.CreateTableBuilder, column: string): Knex.ColumnBuilder
  /** Charset and collation that compare names by their bytes. */
  finishTable(table: Knex.CreateTableBuilder): void
  /** Inserts a row that holds long bytes; knex would write them into MySQL's statement in hexadecimal, at twice their length. */
  insertBinary(tx: Knex.Transaction, table: string, row: object): Promise<void>
  /** Inserts rows that all have the same keys, passing over those whose unique `column` exists already, without hiding any other fault. */
  insertNew(tx: Knex.Transaction, table: string, rows: object[], column: string): Promise<void>
  /** True for the violation of a unique index. */
  isDuplicateKey(error: unknown): boolean
  /** True when the database cannot be reached or written for now: connection lost, disk full, lock wait exceeded. */
  isUnavailable(error: unknown): boolean
  /** Opens a way to the first row of `table` that is cheaper than a query. @returns `undefined` where there is none */
  openRowReader(table: string): RowReader | undefined
  /** Refuses settings under which a commit can be lost in a power cut. @returns what is wrong, `undefined` when all is well */
  explainLossyCommits(knex: Knex): Promise<string | undefined>
  /** Rebuilds tables, so that texts which were overwritten no longer lie in what the database's files do not use. */
  forgetOverwritten(knex: Knex, tables: string[]): Promise<void>
  /** Writes a copy of the database as it stands at one moment. @throws SignalbookError `invalid_request` where another tool does that */
  backUp(knex: Knex, file: string): Promise<void>
}

/** A way to one row, to be closed by whoever opened it. */
export interface RowReader {
  read(): Promise<Record<string, unknown> | undefined>
  close(): Promise<void>
}

/** The `code` that a driver puts on its errors, also when knex or a wrapper of ours stands around them. */
export function driverCode(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = (at as { code?: unknown }).code
    if (typeof code === 'string' && code !== code.toLowerCase()) return code
  }
  return undefined
}
