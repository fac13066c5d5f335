import { invalid } from '../error.ts'
import type { Actor } from '../store/actor.ts'
import { change } from '../store/change.ts'
import type { ChangeDeps } from '../store/change.ts'
import { listDestinations, updateDestination } from '../store/destinations.ts'
import { secretKeepingOf } from '../store/secrets.ts'
import { sealSecretsAnew } from '../store/webhook-secrets.ts'

/** What was encrypted, and with which key. */
export interface RotatedSecrets {
  keyId: string
  destinations: number
  webhooks: number
}

/**
 * Encrypts every stored secret with the first key, whether it lay in the clear or under an older key: one change, with one audit entry.
 * @throws SignalbookError `invalid_request` without a key; UnreadableSecretError when a secret's own key is not at hand, and then nothing is changed
 */
export async function rotateSecrets(deps: ChangeDeps, actor: Actor): Promise<RotatedSecrets> {
  const { keyId } = secretKeepingOf(deps.db.knex).cipher
  if (keyId === undefined) throw invalid('ENCRYPTION_KEY is not set; set it to the new key, followed by a comma and the old one if there is one')
  return change(deps, actor, async ({ tx }) => {
    const destinations = await listDestinations(tx)
    for (const destination of destinations) await updateDestination(tx, destination)
    const webhooks = await sealSecretsAnew(tx)
    const after = { key_id: keyId, destinations: destinations.length, webhooks }
    return {
      result: { keyId, destinations: destinations.length, webhooks },
      facts: [{ action: 'secrets_rotated', entity: 'config', entityId: 'encryption_key', after }],
    }
  })
}
