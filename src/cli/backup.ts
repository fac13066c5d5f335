import { readConfig } from '../config.ts'
import { invalid } from '../error.ts'
import { backUp } from '../backup.ts'

/** Copies the database, also while the service runs on it. @returns the exit code */
export async function backupCommand(env: Record<string, string | undefined>, file: string | undefined): Promise<number> {
  if (file === undefined) throw invalid('name the file to write: signalbook backup FILE')
  for (const copy of await backUp(readConfig(env).database, file)) console.log(copy)
  return 0
}
