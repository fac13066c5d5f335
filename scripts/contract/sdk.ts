/** What the journey asks of a generated SDK. Each client in `clients/` does it with the calls and types that one generator made. */
export interface Sdk {
  /** Makes the first key and uses it from then on. */
  bootstrap: () => Promise<void>
  /** @returns the version under which it was stored */
  publish: (spec: { namespace: string; name: string; event_name: string; properties: Record<string, unknown> }) => Promise<string>
  registerDestination: (name: string) => Promise<void>
  registerSource: (source: { name: string; events: string[]; destinations: string[] }) => Promise<void>
  /** @returns the id of the event */
  track: (event: { source: string; event_name: string; user_id: string; properties: Record<string, unknown> }) => Promise<string>
  /** Has everything delivered now and waits for it. @returns how many deliveries still wait */
  flush: (wait: string) => Promise<number>
  /** @returns the latest version of a spec */
  latestVersion: (namespace: string, name: string) => Promise<string>
  /** @returns the destinations that an event reached */
  reached: (messageId: string) => Promise<string[]>
  removeSource: (name: string) => Promise<void>
  removeDestination: (name: string) => Promise<void>
  /** Asks for a spec that is not there. */
  askForMissing: (namespace: string, name: string) => Promise<{ status: number; sentence: string; code: string | undefined }>
}

/** What a client file exports. */
export type Connect = (baseUrl: string) => Sdk

/** Lets a value pass as it is, but does not compile for `any`: an SDK whose types say nothing must not look as if they did. */
export function typed<T>(value: 0 extends 1 & T ? never : T): T {
  return value
}

/** The answer of a call that has to succeed. @throws Error with what came instead */
export function succeeded<T>(data: T | undefined | null, status: number, error?: unknown): T {
  if (data === undefined || data === null || status >= 400) throw new Error(`the call was answered with ${status}: ${JSON.stringify(error ?? data)}`)
  return data
}

/** The destinations that events reached, from the list of relayed events. */
export function deliveredTo(events: { destinations: { destination: string | null; state: string }[] }[]): string[] {
  return events.flatMap(({ destinations }) => destinations).flatMap(({ destination, state }) => (state === 'delivered' && destination !== null ? [destination] : []))
}
