import { createHash } from 'node:crypto'

/**
 * The id by which a vendor recognises a duplicate: as it is where the vendor keeps it so, else the beginning of its SHA-256 in
 * hex. What a vendor cuts off or replaces by itself could make one id of two, and the second event would be lost as a duplicate.
 * @param kept the ids that the vendor keeps as they are; without the `g` flag
 * @param length of the hex text, at most 64
 */
export function fittingId(id: string, kept: RegExp, length: number): string {
  return kept.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, length)
}
