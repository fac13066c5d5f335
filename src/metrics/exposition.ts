/** Label values in the order of the series' label names. */
type Values = readonly (string | number)[]

/** A family of series as the Prometheus text format 0.0.4 writes it. */
export interface Series {
  render(): string
}

/** A number that only rises while the process lives. */
export interface Counter extends Series {
  add(values: Values, by?: number): void
}

/** Measurements sorted into buckets. */
export interface Histogram extends Series {
  observe(values: Values, measured: number): void
}

/** @param labels names whose values must come from a bounded set, such as what is registered */
export function createCounter(name: string, help: string, labels: readonly string[]): Counter {
  const counts = createCells(() => ({ count: 0 }))
  return {
    add(values, by = 1) {
      counts.of(values).count += by
    },
    render: () => family(name, help, 'counter', counts.all().map(({ values, count }) => `${name}${braced(labelText(labels, values))} ${count}`)),
  }
}

/** @param bounds upper bounds of the buckets, rising */
export function createHistogram(name: string, help: string, labels: readonly string[], bounds: readonly number[]): Histogram {
  const cells = createCells(() => ({ buckets: bounds.map(() => 0), sum: 0, count: 0 }))
  return {
    observe(values, measured) {
      const mine = cells.of(values)
      const at = bounds.findIndex((bound) => measured <= bound)
      if (at !== -1) mine.buckets[at] = (mine.buckets[at] as number) + 1
      mine.sum += measured
      mine.count += 1
    },
    render() {
      const lines: string[] = []
      for (const { values, buckets, sum, count } of cells.all()) {
        const key = labelText(labels, values)
        let below = 0
        for (const [at, bound] of bounds.entries()) lines.push(`${name}_bucket${braced(key, `le="${bound}"`)} ${(below += buckets[at] as number)}`)
        lines.push(`${name}_bucket${braced(key, 'le="+Inf"')} ${count}`, `${name}_sum${braced(key)} ${sum}`, `${name}_count${braced(key)} ${count}`)
      }
      return family(name, help, 'histogram', lines)
    },
  }
}

/** What is measured at the moment of asking. */
export function renderGauge(name: string, help: string, labels: readonly string[], samples: readonly { values: Values; value: number }[]): string {
  return family(name, help, 'gauge', samples.map(({ values, value }) => `${name}${braced(labelText(labels, values))} ${value}`))
}

/** What is counted, by label values. They are written as Prometheus wants them only when it asks: that costs more than counting. */
function createCells<T extends object>(make: () => T): { of: (values: Values) => T; all: () => (T & { values: Values })[] } {
  const cells = new Map<string, T & { values: Values }>()
  return {
    of(values) {
      const key = values.join('\n')
      let cell = cells.get(key)
      if (!cell) cells.set(key, (cell = { ...make(), values }))
      return cell
    },
    all: () => [...cells.values()],
  }
}

function family(name: string, help: string, type: string, lines: string[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
}

function labelText(labels: readonly string[], values: Values): string {
  return labels.map((label, index) => `${label}="${escaped(String(values[index]))}"`).join(',')
}

function braced(...parts: string[]): string {
  const text = parts.filter(Boolean).join(',')
  return text === '' ? '' : `{${text}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
