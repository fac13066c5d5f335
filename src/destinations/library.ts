import { readFileSync } from 'node:fs'

/** How the service names itself to vendors, which show it beside every event. */
export const LIBRARY: { readonly name: string; readonly version: string } = {
  name: 'signalbook',
  version: (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version,
}
