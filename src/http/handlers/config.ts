import { listSettings, setSetting } from '../../admin/settings.ts'
import type { SettingState } from '../../admin/settings.ts'
import type { components } from '../../contract/types.ts'
import type { ChangeDeps } from '../../store/change.ts'
import { formatOptionalTime } from '../../time.ts'
import type { HandlersOf } from '../operation.ts'

/** Settings that act on the next request. */
export function configHandlers(deps: ChangeDeps): HandlersOf<'listConfig' | 'setConfig'> {
  return {
    async listConfig() {
      return { status: 200, body: (await listSettings(deps.db.knex)).map(toWire) }
    },

    async setConfig({ path, body, actor }) {
      return { status: 200, body: toWire(await setSetting(deps, actor, { key: path.key, value: body.value })) }
    },
  }
}

function toWire({ definition, stored }: SettingState): components['schemas']['ConfigSetting'] {
  return {
    key: definition.key,
    value: stored?.value ?? definition.default,
    default: definition.default,
    type: definition.type,
    description: definition.description,
    updated_at: formatOptionalTime(stored?.updatedAt),
    updated_by: stored?.updatedBy ?? null,
  }
}
