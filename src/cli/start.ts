import { readConfig } from '../config.ts'
import { startService } from '../main.ts'

/** Runs the service until SIGTERM or SIGINT. @returns the exit code */
export async function startCommand(env: Record<string, string | undefined>): Promise<number> {
  const service = await startService(readConfig(env))
  console.log(service.greeting)
  const signal = await new Promise<string>((resolve) => {
    process.once('SIGTERM', resolve)
    process.once('SIGINT', resolve)
  })
  console.log(`${signal}: finishing the requests and deliveries under way`)
  await service.stop()
  return 0
}
