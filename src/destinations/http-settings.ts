import { MINUTE, SECOND, parseDuration } from '../duration.ts'
import { durationBetween, httpUrl, wholeNumber } from './config-fields.ts'
import type { Field } from './config-fields.ts'
import type { ProviderConfig } from './destination.ts'

/** Segment's and Customer.io's SDKs wait as long. */
const DEFAULT_TIMEOUT_MS = 10 * SECOND

/** The settings that every HTTP provider takes. @param maxBatchSize most items that the vendor takes in one request */
export function httpSettings(maxBatchSize: number): Record<'endpoint' | 'batch_size' | 'flush_interval' | 'timeout', Field> {
  return {
    endpoint: httpUrl,
    batch_size: wholeNumber(1, maxBatchSize),
    flush_interval: durationBetween(SECOND, 60 * MINUTE, 'a duration from 1s to 60m, such as "5s"'),
    timeout: durationBetween(SECOND, 2 * MINUTE, 'a duration from 1s to 2m, such as "10s"'),
  }
}

/** How long one request may take. */
export function timeoutMs(config: ProviderConfig): number {
  return typeof config['timeout'] === 'string' ? parseDuration(config['timeout'], 'config.timeout') : DEFAULT_TIMEOUT_MS
}

/** How long an incomplete batch waits; by default not at all: while one request is under way, the next batch fills by itself. */
export function lingerMs(config: ProviderConfig): number {
  return typeof config['flush_interval'] === 'string' ? parseDuration(config['flush_interval'], 'config.flush_interval') : 0
}
