import { randomBytes } from 'node:crypto'

// The Standard Webhooks specification asks for 24 to 64 random bytes.
const SECRET_BYTES = 32

/** What the audit log shows in a secret's place. */
export const SECRET_MASK = '********'

/** A new signing secret: `whsec_` and base64. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}
