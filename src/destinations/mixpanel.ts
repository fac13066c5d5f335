import { HOUR } from '../duration.ts'
import { bool, checkFields, credential, oneOf, wrong } from './config-fields.ts'
import type { Field } from './config-fields.ts'
import type { CanonicalEvent } from './canonical-event.ts'
import type { Encoded, HttpProvider, Item, ProviderConfig } from './destination.ts'
import { httpSettings, lingerMs, timeoutMs } from './http-settings.ts'
import { classifyMixpanel } from './mixpanel-answers.ts'
import { joiningEvent, mixpanelEvent } from './mixpanel-event.ts'
import { distinctId, isOriginalMerge, placeholderId, withoutSharedDevice } from './mixpanel-identity.ts'
import { groupUpdate, membershipUpdate, profileUpdate } from './mixpanel-profile.ts'
import { pageEventNameField } from './page-event-name.ts'
import { addressUnder, basicAuthorization, jsonArray, jsonPost } from './vendor-request.ts'

const MAX_BATCH_SIZE = 2000
/** Mixpanel's pages name 10 MB as well as 2 MB; the smaller one is safe. */
const MAX_BYTES = 1_990_000
const MAX_ITEM_BYTES = 1_000_000
const SERVICE_ACCOUNT = ['service_account_username', 'service_account_secret', 'project_id']

const HOSTS: Record<string, string> = { us: 'https://api.mixpanel.com', eu: 'https://api-eu.mixpanel.com', in: 'https://api-in.mixpanel.com' }

const projectId: Field = (value, name) => {
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) throw wrong('project_id', `${name} must be a text of digits, such as "3187204"`)
}

const groupKeyField: Field = (value, name) => {
  if (typeof value !== 'string' || !/^[^\u0000-\u001f\u007f]{1,255}$/.test(value)) throw wrong('group_key', `${name} must be a text of 1 to 255 characters on one line`)
}

const FIELDS: Record<string, Field> = {
  api_key: credential,
  region: oneOf(...Object.keys(HOSTS)),
  identity_merge: oneOf('simplified', 'original'),
  group_key: groupKeyField,
  strict: bool,
  service_account_username: credential,
  service_account_secret: credential,
  project_id: projectId,
  page_event_name: pageEventNameField,
  ...httpSettings(MAX_BATCH_SIZE),
}

/** Mixpanel: events to `/import`, users to `/engage`, groups to `/groups`. */
export const mixpanel: HttpProvider = {
  transport: 'http',
  name: 'mixpanel',
  aliases: [],
  secretKeys: ['api_key', 'service_account_secret'],
  supports: { track: 'native', identify: 'native', group: 'native', page: 'mapped', alias: 'mapped' },
  // Events of nobody are taken; profiles are not, which `encode` sees to.
  identity: 'none',

  checkConfig(config) {
    const checked = checkFields('mixpanel', config, FIELDS)
    if (checked['api_key'] === undefined) throw wrong('api_key', 'config.api_key is required: the token of the project at Mixpanel')
    const missing = SERVICE_ACCOUNT.filter((key) => checked[key] === undefined)
    if (missing[0] !== undefined && missing.length < SERVICE_ACCOUNT.length) {
      throw wrong(missing[0], `config.${missing[0]} is missing: a service account needs ${SERVICE_ACCOUNT.join(', ')}; give all three or none`)
    }
    return checked
  },

  limits: (config) => ({
    items: (config['batch_size'] ?? MAX_BATCH_SIZE) as number,
    bytes: MAX_BYTES,
    itemBytes: MAX_ITEM_BYTES,
    // Mixpanel advises 10 to 20.
    concurrency: 10,
    timeoutMs: timeoutMs(config),
    lingerMs: lingerMs(config),
    maxFutureMs: HOUR,
  }),

  encode(given, config): Encoded {
    const event = withoutSharedDevice(given)
    const placeholder = placeholderId(event)
    if (placeholder !== undefined) return { reject: 'invalid_identity', message: `mixpanel takes no ${placeholder} that stands for nobody, such as "anonymous" or "null"` }
    if (event.type === 'alias' && !isOriginalMerge(config)) return { skip: 'unsupported_type' }
    if (event.type === 'identify' && distinctId(event, config) === '') return { reject: 'missing_identity', message: 'mixpanel takes no profile without user_id or anonymous_id' }
    return { items: itemsOf(event, config) }
  },

  request(items, config) {
    const base = (config['endpoint'] ?? HOSTS[(config['region'] ?? 'us') as string]) as string
    const lane = items[0]?.lane
    // The token is in every profile. The relay's own address says nothing about a user.
    if (lane !== 'import') return jsonPost(addressUnder(base, `/${lane}?verbose=1&ip=0`), jsonArray(items))
    const project = config['project_id'] === undefined ? '' : `&project_id=${config['project_id'] as string}`
    const authorization =
      config['service_account_secret'] === undefined
        ? basicAuthorization(config['api_key'] as string, '')
        : basicAuthorization(config['service_account_username'] as string, config['service_account_secret'] as string)
    return jsonPost(addressUnder(base, `/import?strict=${config['strict'] === false ? 0 : 1}${project}`), jsonArray(items), { authorization })
  },

  classify: (response, items, _config, { attempt }) => classifyMixpanel(response, items, attempt),
}

function itemsOf(event: CanonicalEvent, config: ProviderConfig): Item[] {
  const { message_id: key, user_id: userId, anonymous_id: anonymousId } = event
  switch (event.type) {
    case 'identify': {
      const profile = item('engage', key, profileUpdate(event, config))
      if (!isOriginalMerge(config) || userId === undefined || anonymousId === undefined) return [profile]
      const ids = { $identified_id: userId, $anon_id: anonymousId }
      return [item('import', `${key}:i`, joiningEvent('$identify', ids, event, `${key}:i`, config)), profile]
    }
    case 'group': {
      const group = item('groups', `${key}:g`, groupUpdate(event, config))
      return distinctId(event, config) === '' ? [group] : [item('engage', key, membershipUpdate(event, config)), group]
    }
    case 'alias':
      return [item('import', key, joiningEvent('$merge', { $distinct_ids: [event.previous_id, userId] }, event, key, config))]
    default:
      return [item('import', key, mixpanelEvent(event, config))]
  }
}

function item(lane: string, key: string, body: unknown): Item {
  return { lane, key, body: JSON.stringify(body) }
}
