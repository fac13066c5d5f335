import { execFile, execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { MysqlServer } from './database.ts'

/** A MariaDB of a test's own, which may be stopped, starved and watched without harm to others. */
export interface OwnMariadb {
  server: MysqlServer
  pid: () => number
  /** kill -9. */
  kill: () => Promise<void>
  start: () => Promise<void>
  remove: () => Promise<void>
}

const START_TIMEOUT_MS = 20_000

/** True where the programs of a MariaDB server are installed; a test skips visibly where they are not. */
export function hasMariadb(): boolean {
  try {
    execFileSync('mariadbd', ['--version'], { stdio: 'ignore', env: ENV })
    return true
  } catch {
    return false
  }
}

// Debian keeps servers out of the path of ordinary users.
const ENV = { PATH: `${process.env['PATH']}:/usr/sbin` }

/** Makes an empty MariaDB on a free port and starts it: two seconds. @param options such as `--innodb-flush-log-at-trx-commit=2` */
export async function startOwnMariadb(options: string[] = []): Promise<OwnMariadb> {
  const directory = await mkdtemp(join(tmpdir(), 'signalbook-mariadb-'))
  const common = ['--no-defaults', `--datadir=${directory}`, ...(process.getuid?.() === 0 ? ['--user=root'] : [])]
  await promisify(execFile)('mariadb-install-db', [...common, '--auth-root-authentication-method=normal', '--skip-test-db'], { env: ENV })
  const server: MysqlServer = { host: '127.0.0.1', port: await freePort(), user: 'root', password: '' }
  let child: ChildProcess
  const own: OwnMariadb = {
    server,
    pid: () => child.pid as number,
    async start() {
      child = spawn('mariadbd', [...common, `--port=${server.port}`, '--bind-address=127.0.0.1', `--socket=${join(directory, 'socket')}`, '--innodb-buffer-pool-size=32M', ...options], { stdio: 'ignore', env: ENV })
      for (const deadline = Date.now() + START_TIMEOUT_MS; !(await answers(server.port)); ) {
        if (Date.now() > deadline || child.exitCode !== null) throw new Error('the MariaDB of the test did not start')
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    async remove() {
      await own.kill()
      await rm(directory, { recursive: true, force: true })
    },
  }
  await own.start()
  return own
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** True once it sends its greeting. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 1000 })
    const end = (isUp: boolean) => {
      socket.destroy()
      resolve(isUp)
    }
    socket.once('data', () => end(true))
    for (const event of ['error', 'timeout', 'close']) socket.once(event, () => end(false))
  })
}
