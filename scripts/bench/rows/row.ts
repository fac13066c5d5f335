import type { Pace } from '../measure.ts'

/** One line of the table. */
export interface Line {
  what: string
  ours: string
  /** What ours is measured against. */
  limit: string
  /** Ours divided by the limit's, or ours itself where the target is absolute. */
  value: string
  target: string
  isMet: boolean
  /** What explains a shortfall, line by line. */
  because?: string[]
}

/** Sizes that a person can change from the command line. */
export interface Sizes {
  specs: number
  sources: number
  keys: number
  backlog: number
  /** Events that wait for a dead destination. */
  waiting: number
}

/** Measures some lines. Throws when it cannot run; the table then says why. */
export interface Row {
  name: string
  run: (pace: Pace, sizes: Sizes) => Promise<Line[]>
}

/** A line whose target is a ratio. */
export function ratioLine(what: string, ours: number, limit: number, target: number, unit: string, note = ''): Line {
  return {
    what,
    ours: `${count(ours)} ${unit}${note}`,
    limit: `${count(limit)} ${unit}`,
    value: (ours / limit).toFixed(2),
    target: `≥ ${target}`,
    isMet: ours / limit >= target,
  }
}

/** A line whose target is a bound. */
export function boundLine(what: string, ours: number, bound: number, unit: string): Line {
  return { what, ours: `${ours.toFixed(1)} ${unit}`, limit: '–', value: `${ours.toFixed(1)} ${unit}`, target: `< ${bound} ${unit}`, isMet: ours < bound }
}

/** Has a line that falls short say why. */
export async function explained(line: Line, because: () => Promise<string[]>): Promise<Line> {
  return line.isMet ? line : { ...line, because: await because() }
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en-GB')
}
