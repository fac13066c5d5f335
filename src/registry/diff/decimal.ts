interface Decimal {
  digits: bigint
  /** The number is `digits` divided by ten to the power of this. */
  scale: number
}

/** Whether `value` is a whole multiple of `step`, reckoned in decimal: 0.3 is one of 0.1, whatever binary division says. */
export function divides(step: number, value: number): boolean {
  if (step === 0) return false
  const one = toDecimal(step)
  const other = toDecimal(value)
  const scale = Math.max(one.scale, other.scale)
  return rescale(other, scale) % rescale(one, scale) === 0n
}

function toDecimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(whole + fraction)
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 }
}

function rescale({ digits, scale }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(to - scale)
}
