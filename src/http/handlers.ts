import { auditHandlers } from './handlers/audit.ts'
import { configHandlers } from './handlers/config.ts'
import { contractHandlers } from './handlers/contract.ts'
import { deliveryHandlers } from './handlers/deliveries.ts'
import type { DeliveryHandlerDeps } from './handlers/deliveries.ts'
import { destinationHandlers } from './handlers/destinations.ts'
import type { DestinationHandlerDeps } from './handlers/destinations.ts'
import { eventHandlers } from './handlers/events.ts'
import { healthHandlers } from './handlers/health.ts'
import type { HealthDeps } from './handlers/health.ts'
import { keyHandlers } from './handlers/keys.ts'
import { metricsHandlers } from './handlers/metrics.ts'
import type { MetricsHandlerDeps } from './handlers/metrics.ts'
import { quarantineHandlers } from './handlers/quarantine.ts'
import { relayEventHandlers } from './handlers/relay-events.ts'
import { relayHandlers } from './handlers/relay.ts'
import type { RelayHandlerDeps } from './handlers/relay.ts'
import { sourceHandlers } from './handlers/sources.ts'
import { webhookDeliveryHandlers } from './handlers/webhook-deliveries.ts'
import type { WebhookDeliveryHandlerDeps } from './handlers/webhook-deliveries.ts'
import { webhookHandlers } from './handlers/webhooks.ts'
import type { WebhookHandlerDeps } from './handlers/webhooks.ts'
import type { Handlers } from './operation.ts'
import type { SpecChangeDeps } from '../registry/announcement.ts'
import type { ReadMemory } from '../snapshot/read-memory.ts'

export type HandlerDeps = Omit<SpecChangeDeps, 'versionPolicy'> & DestinationHandlerDeps & DeliveryHandlerDeps & RelayHandlerDeps & WebhookHandlerDeps & WebhookDeliveryHandlerDeps & MetricsHandlerDeps & { health: HealthDeps; memory: ReadMemory }

/** Every operation's handler. */
export function createHandlers(deps: HandlerDeps): Handlers {
  return {
    ...healthHandlers(deps.health),
    ...metricsHandlers(deps),
    ...contractHandlers(),
    ...eventHandlers(deps),
    ...relayHandlers(deps),
    ...keyHandlers(deps),
    ...sourceHandlers(deps),
    ...destinationHandlers(deps),
    ...deliveryHandlers(deps),
    ...relayEventHandlers(deps),
    ...quarantineHandlers(deps),
    ...webhookHandlers(deps),
    ...webhookDeliveryHandlers(deps),
    ...auditHandlers(deps),
    ...configHandlers(deps),
  }
}
