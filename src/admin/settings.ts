import { SETTINGS, settingDefinition } from '../settings.ts'
import type { SettingDefinition } from '../settings.ts'
import { change } from '../store/change.ts'
import { actorLabel } from '../store/actor.ts'
import type { Actor } from '../store/actor.ts'
import type { ChangeDeps } from '../store/change.ts'
import type { Executor } from '../store/db.ts'
import { listStoredSettings, saveSetting } from '../store/settings.ts'
import type { StoredSetting } from '../store/settings.ts'

/** A setting with what is stored of it, if anything. */
export interface SettingState {
  definition: SettingDefinition
  stored: StoredSetting | undefined
}

/** Every setting, sorted by key. */
export async function listSettings(db: Executor): Promise<SettingState[]> {
  const stored = new Map((await listStoredSettings(db)).map((setting) => [setting.key, setting]))
  return SETTINGS.map((definition) => ({ definition, stored: stored.get(definition.key) }))
}

/**
 * Changes a setting; it is in force for the next request on every instance.
 * @throws SignalbookError `invalid_request` for an unknown key or a value that is not allowed
 */
export async function setSetting(deps: ChangeDeps, actor: Actor, input: { key: string; value: string }): Promise<SettingState> {
  const definition = settingDefinition(input.key)
  definition.read(input.value)
  return change(deps, actor, async ({ tx, at }) => {
    const before = (await listStoredSettings(tx)).find((setting) => setting.key === input.key)
    const stored: StoredSetting = { key: input.key, value: input.value, updatedAt: at, updatedBy: actorLabel(actor) }
    await saveSetting(tx, stored)
    return {
      result: { definition, stored },
      facts: [{ action: 'updated', entity: 'config', entityId: input.key, before: { value: before?.value ?? definition.default }, after: { value: input.value } }],
    }
  })
}
