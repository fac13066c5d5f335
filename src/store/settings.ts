import type { Executor } from './db.ts'

const TABLE = 'settings'

/** A setting that was changed at least once. */
export interface StoredSetting {
  key: string
  value: string
  updatedAt: number
  updatedBy: string | undefined
}

interface SettingRow {
  key: string
  value: string
  updated_at: number
  updated_by: string | null
}

export async function listStoredSettings(db: Executor): Promise<StoredSetting[]> {
  const rows = (await db<SettingRow>(TABLE))
  return rows.map((row) => ({ key: row.key, value: row.value, updatedAt: row.updated_at, updatedBy: row.updated_by ?? undefined }))
}

export async function saveSetting(db: Executor, setting: StoredSetting): Promise<void> {
  const row: SettingRow = { key: setting.key, value: setting.value, updated_at: setting.updatedAt, updated_by: setting.updatedBy ?? null }
  await db(TABLE).insert(row).onConflict('key').merge()
}
