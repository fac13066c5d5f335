import type { Normaliser } from '../normal-form.ts'

/** Writes values that keep to definitions of one side: likely ones, since what is certain is what the validators say. */
export interface Sampler {
  side: Normaliser
  /**
   * A few different values, the simplest first; none for a definition that cannot be met, or not by this. Each is worked out when it
   * is asked for, and remembered: most callers need the first alone, and the last may be the largest object that a spec allows.
   */
  sample: (source: unknown) => Generator<unknown>
}
