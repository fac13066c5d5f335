import type { Migration } from '../../migrate.ts'
import { revisionAndAudit } from './0001-revision-and-audit.ts'
import { apiKeys } from './0002-api-keys.ts'
import { settings } from './0003-settings.ts'
import { sourcesAndDestinations } from './0004-sources-and-destinations.ts'
import { eventSpecs } from './0005-event-specs.ts'
import { webhooks } from './0006-webhooks.ts'
import { webhookFiltersAndRotation } from './0007-webhook-filters-and-rotation.ts'
import { webhookDeliveryLog } from './0008-webhook-delivery-log.ts'

/** The registry's schema, step by step. */
export const registryMigrations: Migration[] = [revisionAndAudit, apiKeys, settings, sourcesAndDestinations, eventSpecs, webhooks, webhookFiltersAndRotation, webhookDeliveryLog]
