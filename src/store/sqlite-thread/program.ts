import type { StatementSync } from 'node:sqlite'

/** What a program may use: statements, prepared once and kept. */
export type Prepare = (sql: string) => StatementSync

/** Several statements that run in the thread without a message between them; what it takes and gives must be cloneable. */
export type Program<Input, Output> = (prepare: Prepare, input: Input) => Output
