import { appendEvents } from './append-program.ts'
import type { Program } from './program.ts'

/** The programs that the thread can run, by name. */
export const programs: Record<string, Program<never, unknown>> = { appendEvents }
