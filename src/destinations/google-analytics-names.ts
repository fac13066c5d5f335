/** Of events and parameters; Google drops what is longer or spelled otherwise without a word. */
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,39}$/
const USER_PROPERTY_NAME = /^[A-Za-z][A-Za-z0-9_]{0,23}$/
const RESERVED_PREFIX = /^(?:ga_|google_|firebase_|gtag\.)/

// From the Measurement Protocol's reference: what Google's own SDKs record by themselves.
const RESERVED_EVENTS = new Set([
  ...['ad_activeview', 'ad_click', 'ad_exposure', 'ad_impression', 'ad_query', 'ad_reward', 'adunit_exposure'],
  ...['app_clear_data', 'app_exception', 'app_install', 'app_remove', 'app_store_refund', 'app_update', 'app_upgrade'],
  ...['app_store_subscription_cancel', 'app_store_subscription_convert', 'app_store_subscription_renew'],
  ...['dynamic_link_app_open', 'dynamic_link_app_update', 'dynamic_link_first_open'],
  ...['error', 'firebase_campaign', 'first_open', 'first_visit', 'in_app_purchase'],
  ...['notification_dismiss', 'notification_foreground', 'notification_open', 'notification_receive', 'notification_send'],
  ...['os_update', 'session_start', 'session_start_with_rollout', 'user_engagement'],
])

const RESERVED_USER_PROPERTIES = new Set(['first_open_time', 'first_visit_time', 'last_deep_link_referrer', 'user_id', 'first_open_after_install'])

/** The name of an event as Google Analytics takes it. @returns why not, where it would drop the event */
export function analyticsEventName(given: string): { name: string } | { refusal: string } {
  const name = underscored(given)
  if (!NAME.test(name)) return { refusal: 'google-analytics takes event names of 1 to 40 letters, digits and underscores that begin with a letter' }
  if (RESERVED_EVENTS.has(name) || RESERVED_PREFIX.test(name)) return { refusal: `google-analytics keeps the event name "${name}" for itself` }
  return { name }
}

/** The name of a parameter, or `undefined` where Google Analytics would drop it. */
export function parameterName(given: string): string | undefined {
  const name = underscored(given)
  return NAME.test(name) && !RESERVED_PREFIX.test(name) ? name : undefined
}

/** The name of a user property, or `undefined` where Google Analytics would drop it. */
export function userPropertyName(given: string): string | undefined {
  const name = underscored(given)
  return USER_PROPERTY_NAME.test(name) && !RESERVED_PREFIX.test(name) && !RESERVED_USER_PROPERTIES.has(name) ? name : undefined
}

function underscored(given: string): string {
  return given.trim().replaceAll(/\s+/g, '_')
}
