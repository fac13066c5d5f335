import type { Knex } from 'knex'
import type { Migration } from '../../migrate.ts'

const PER_STEP = 250
// Knex writes bytes into a statement of MySQL at twice their length, and the server takes 16 MB at most.
const MOST_CHARACTERS = 512 * 1024

interface OldRow {
  seq: number
  source: string
  message_id: string
  type: string
  event_name: string | null
  verdict: string
  destinations: string
  spec: string | null
  violations: string | null
  received_at: number
  event: string
}

/** Moves what has a row of its own into packs; only what is in quarantine keeps one. */
export const packEvents: Migration = {
  name: '0007-pack-events',
  async up(knex) {
    await knex.raw('INSERT INTO relay_message_ids (seq, dedupe_key) SELECT seq, dedupe_key FROM relay_events WHERE dedupe_key IS NOT NULL')
    for (;;) {
      const rows = await knex<OldRow>('relay_events').whereNotIn('verdict', ['quarantined', 'discarded']).orderBy('seq').limit(PER_STEP)
      if (rows.length === 0) break
      const packed = takeSome(rows)
      await knex('relay_packs').insert(packOf(packed))
      await knex('relay_events').whereNotIn('verdict', ['quarantined', 'discarded']).where('seq', '<=', Number(packed.at(-1)?.seq)).delete()
    }
  },
}

/** The first of some rows, and those after it that fit into one pack. */
function takeSome(rows: OldRow[]): OldRow[] {
  let characters = 0
  const tooMany = rows.findIndex(({ seq, event }, index) => Number(seq) - Number(rows[0]?.seq) >= PER_STEP || ((characters += event.length) > MOST_CHARACTERS && index > 0))
  return tooMany < 0 ? rows : rows.slice(0, tooMany)
}

/** The form of a pack as it was when this was written. */
function packOf(rows: OldRow[]): Record<string, Knex.Value> {
  const [first] = rows as [OldRow]
  const heads = rows.map(({ source, type, event_name, verdict, destinations, spec, violations }) => JSON.stringify({ source, type, event_name, verdict, destinations, spec, violations, is_replay: false }))
  const distinct = [...new Set(heads)]
  const ids = new Set(rows.flatMap(({ destinations }) => destinations.split(',').filter(Boolean)))
  return {
    last_seq: Number(rows.at(-1)?.seq),
    first_seq: Number(first.seq),
    received_at: Math.max(...rows.map((row) => Number(row.received_at))),
    destinations: ids.size === 0 ? '' : `,${[...ids].join(',')},`,
    heads: `[${distinct.join(',')}]`,
    items: JSON.stringify(rows.map((row, index) => [Number(row.seq) - Number(first.seq), distinct.indexOf(heads[index] as string), Number(row.received_at), row.message_id])),
    events: Buffer.from(rows.map(({ event }) => `${event}\n`).join('')),
  }
}
