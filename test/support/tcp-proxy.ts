import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** A stretch of wire between the service and its database that can be cut and mended. */
export interface TcpProxy {
  port: number
  /** Ends every connection and refuses new ones. */
  cut: () => Promise<void>
  mend: () => Promise<void>
  /** Lets nothing through while every connection stays open, and new ones too: the far side has stopped. Thawing ends them. */
  freeze: () => void
  thaw: () => void
  close: () => Promise<void>
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let isFrozen = false
  const server = createServer((client) => {
    // Who comes now is let in and hears nothing.
    if (isFrozen) return void sockets.add(client.on('error', () => {}))
    const upstream = connect(target)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  const freeze = () => {
    isFrozen = true
    for (const socket of sockets) socket.unpipe().pause()
  }
  const thaw = () => {
    isFrozen = false
    for (const socket of sockets) socket.destroy()
  }
  return { port, freeze, thaw, cut, mend: () => listen(port), close: () => (server.listening ? cut() : Promise.resolve()) }
}
