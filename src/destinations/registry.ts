import { invalid } from '../error.ts'
import type { Provider } from './destination.ts'
import { amplitude } from './amplitude.ts'
import { clickhouse } from './clickhouse.ts'
import { customerio } from './customerio.ts'
import { file } from './file.ts'
import { googleAnalytics } from './google-analytics.ts'
import { http } from './http.ts'
import { jitsu } from './jitsu.ts'
import { mixpanel } from './mixpanel.ts'
import { noop } from './noop.ts'
import { posthog } from './posthog.ts'
import { rudderstack } from './rudderstack.ts'
import { segment } from './segment.ts'
import { stdout } from './stdout.ts'

/** Every provider; a new one is a file of its own and a line here. */
const PROVIDERS: readonly Provider[] = [
  http,
  segment,
  rudderstack,
  jitsu,
  amplitude,
  mixpanel,
  posthog,
  googleAnalytics,
  customerio,
  clickhouse,
  file,
  stdout,
  noop,
]

const BY_NAME = new Map(PROVIDERS.flatMap((provider) => [provider.name, ...provider.aliases].map((name) => [name, provider] as const)))

/** The names of all providers, without their aliases. */
export const providerNames: readonly string[] = PROVIDERS.map((provider) => provider.name)

/** The provider of a name or an alias. @throws SignalbookError `invalid_request` listing the names */
export function providerNamed(name: string): Provider {
  const provider = BY_NAME.get(name)
  if (!provider) throw invalid(`there is no provider "${String(name).slice(0, 60)}"; the providers are ${[...BY_NAME.keys()].join(', ')}`)
  return provider
}
