import type { Limits, Provider, ProviderConfig } from '../../destinations/destination.ts'
import { providerNamed } from '../../destinations/registry.ts'
import { SignalbookError } from '../../error.ts'
import { httpTransmit, localTransmit } from './transmit.ts'
import type { Transmit } from './transmit.ts'
import type { WorkerDeps, WorkerState } from './worker-state.ts'

/** A destination made ready to send to. */
export interface Channel {
  kind: 'open'
  provider: Provider
  config: ProviderConfig
  limits: Limits
  transmit: Transmit
  close: () => Promise<void>
}

/**
 * Opens a destination.
 * @returns `refused` with the reason when its stored provider or settings are no longer accepted, as after an upgrade
 */
export async function openChannel(deps: WorkerDeps, state: WorkerState): Promise<Channel | { kind: 'refused'; message: string }> {
  const { destination } = state
  try {
    const provider = providerNamed(destination.provider)
    const config = provider.checkConfig(destination.config)
    const limits = provider.limits(config)
    if (provider.transport === 'local') {
      const transport = await provider.open(config, deps.environment)
      return { kind: 'open', provider, config, limits, transmit: localTransmit(provider, config, transport), close: () => transport.close() }
    }
    const transmit = httpTransmit({
      provider,
      config,
      destinationName: destination.name,
      timeoutMs: limits.timeoutMs,
      send: deps.send,
      now: deps.now,
      signal: state.abort.signal,
    })
    return { kind: 'open', provider, config, limits, transmit, close: async () => undefined }
  } catch (error) {
    if (error instanceof SignalbookError && error.code === 'invalid_request') return { kind: 'refused', message: error.message }
    throw error
  }
}
