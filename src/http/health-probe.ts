/** Says what is wrong with the databases, `undefined` when they can be written. */
export type HealthProbe = () => Promise<string | undefined>

// Health needs no key: a flood of calls must not become a flood of writes.
// Together under 2 s: so soon after the database stopped, whoever asks has been told.
const KEPT_MS = 500
const TIMEOUT_MS = 1200

/**
 * Asks by really writing, at most twice a second however many ask, and takes a slow answer for a bad one.
 * @param write writes something harmless to each database
 */
export function createHealthProbe(write: () => Promise<void>, now: () => number): HealthProbe {
  let known: { at: number; answer: Promise<string | undefined> } | undefined
  return () => {
    if (!known || now() - known.at >= KEPT_MS) known = { at: now(), answer: attempt(write) }
    return known.answer
  }
}

async function attempt(write: () => Promise<void>): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`the database did not take a write within ${TIMEOUT_MS} ms`), TIMEOUT_MS)
  })
  try {
    return await Promise.race([write().then(() => undefined), late])
  } catch {
    // The driver's words can hold host names and paths, and health needs no key.
    return 'the database cannot be written'
  } finally {
    clearTimeout(timer)
  }
}
