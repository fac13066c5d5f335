import type { CanonicalEvent } from './canonical-event.ts'

/** What an event is in a row: free objects as JSON texts, and what an event does not have left to the column's default. */
export function clickhouseRow(event: CanonicalEvent): Record<string, string> {
  const { properties, traits, context, ...scalars } = event
  return {
    ...scalars,
    ...(properties === undefined ? {} : { properties: JSON.stringify(properties) }),
    ...(traits === undefined ? {} : { traits: JSON.stringify(traits) }),
    context: JSON.stringify(context),
  }
}

/**
 * The statement that makes a table for events.
 * Its engine drops, in the background, rows that were inserted again after the server forgot their batch; the last setting
 * makes it remember batches at all, which a table without replicas otherwise does not.
 */
export function createTableStatement(database: string, table: string): string {
  return [
    `CREATE TABLE ${database}.${table} (message_id String, type LowCardinality(String), source LowCardinality(String), event_name String, name String,`,
    'user_id String, anonymous_id String, group_id String, previous_id String, event_version String, properties String, traits String, context String,',
    "timestamp DateTime64(3, 'UTC'), received_at DateTime64(3, 'UTC'), original_timestamp Nullable(DateTime64(3, 'UTC')))",
    'ENGINE = ReplacingMergeTree(received_at) PARTITION BY toYYYYMM(timestamp) ORDER BY (source, type, toDate(timestamp), message_id)',
    'SETTINGS non_replicated_deduplication_window = 1000',
  ].join(' ')
}
