import { readConfig } from '../config.ts'
import { startService } from '../main.ts'
import { tuneMemory } from './tune-memory.ts'

/** Runs the service until SIGTERM or SIGINT. @returns the exit code */
export async function startCommand(env: Record<string, string | undefined>): Promise<number> {
  tuneMemory()
  const service = await startService(readConfig(env))
  // Before the greeting: whoever reads it may send the signal at once.
  const stopped = new Promise<string>((resolve) => {
    process.once('SIGTERM', resolve)
    process.once('SIGINT', resolve)
  })
  console.log(service.greeting)
  console.log(`${await stopped}: finishing the requests and deliveries under way`)
  await service.stop()
  return 0
}
