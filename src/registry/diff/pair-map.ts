/** A map whose keys are pairs of definitions. */
export class PairMap<Value> {
  readonly #values = new Map<unknown, Map<unknown, Value>>()

  get(from: unknown, to: unknown): Value | undefined {
    return this.#values.get(from)?.get(to)
  }

  set(from: unknown, to: unknown, value: Value): void {
    const row = this.#values.get(from) ?? new Map<unknown, Value>()
    row.set(to, value)
    this.#values.set(from, row)
  }
}
