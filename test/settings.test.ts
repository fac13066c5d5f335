import { expect } from 'chai'
import { DAY, HOUR, MINUTE, YEAR } from '../src/duration.ts'
import { SignalbookError } from '../src/error.ts'
import { SETTINGS, readSettings, settingDefinition } from '../src/settings.ts'
import type { Settings } from '../src/settings.ts'

const DEFAULTS: Settings = {
  hooksEnabled: true,
  relayValidation: 'quarantine',
  relayUnplanned: 'allow',
  relayRetentionMs: 24 * HOUR,
  relayRetryForMs: 72 * HOUR,
  versionPolicy: 'enforce',
  lintPolicy: 'warn',
  maxBatchItems: 2500,
  maxEventBytes: 32 * 1024,
  auditRetentionMs: YEAR,
  rateLimitPerKey: 0,
}

describe('the settings', () => {
  it('are sorted by key, each once', () => {
    const keys = SETTINGS.map(({ key }) => key)
    expect(keys).to.deep.equal([...new Set(keys)].sort())
  })

  it('each have a property of their own', () => {
    expect(SETTINGS.map(({ property }) => property).sort()).to.deep.equal(Object.keys(DEFAULTS).sort())
  })

  it('are at their defaults while nothing is stored', () => {
    expect(readSettings(new Map())).to.deep.equal(DEFAULTS)
  })

  it('take what is stored, and pass over a key that is no longer known', () => {
    const stored = new Map([
      ['relay_validation', 'block'],
      ['max_batch_items', '7'],
      ['hooks_enabled', 'false'],
      ['colour', 'red'],
    ])
    expect(readSettings(stored)).to.deep.equal({ ...DEFAULTS, relayValidation: 'block', maxBatchItems: 7, hooksEnabled: false })
  })

  for (const definition of SETTINGS) {
    it(`accept the default of ${definition.key} as a value, and describe it in a sentence`, () => {
      expect(() => definition.read(definition.default)).not.to.throw()
      expect(definition.description).to.match(/^[A-Z].{10,}\.$/)
    })
  }

  it('answer an unknown key with the list of all keys', () => {
    expect(() => settingDefinition('colour'))
      .to.throw(SignalbookError, `there is no setting "colour"; the settings are ${SETTINGS.map(({ key }) => key).join(', ')}`)
      .with.property('code', 'invalid_request')
    for (const key of ['', 'HOOKS_ENABLED', 'constructor', '__proto__', 'x'.repeat(1000)]) expect(() => settingDefinition(key)).to.throw(SignalbookError)
  })
})

/** Values that a setting takes and what they are to the code, and values that it refuses. */
const VALUES: Record<string, { good: [text: string, value: unknown][]; bad: string[]; says: RegExp }> = {
  hooks_enabled: { good: [['true', true], ['false', false]], bad: ['', 'TRUE', 'yes', '1', 'on', ' true', 'null'], says: /must be one of "true", "false"; got/ },
  relay_validation: {
    good: [['quarantine', 'quarantine'], ['block', 'block'], ['allow', 'allow']],
    bad: ['', 'Block', 'blocked', 'quarantine '],
    says: /must be one of "quarantine", "block", "allow"; got/,
  },
  relay_unplanned: {
    good: [['allow', 'allow'], ['quarantine', 'quarantine'], ['block', 'block']],
    bad: ['', 'deny'],
    says: /must be one of "allow", "quarantine", "block"; got/,
  },
  version_policy: { good: [['enforce', 'enforce'], ['warn', 'warn'], ['off', 'off']], bad: ['', 'on', 'false'], says: /must be one of "enforce", "warn", "off"; got/ },
  lint_policy: { good: [['warn', 'warn'], ['error', 'error']], bad: ['', 'off'], says: /must be one of "warn", "error"; got/ },
  max_batch_items: { good: [['1', 1], ['2500', 2500]], bad: ['', '0', '2501', '-1', '1.5', '1e3', ' 5', '0x10', 'NaN', 'Infinity', '99999999999'], says: /must be a whole number from 1 to 2500; got/ },
  max_event_bytes: { good: [['1024', 1024], ['1048576', 1_048_576]], bad: ['', '1023', '1048577', '32KB', '3.2e4'], says: /must be a whole number from 1024 to 1048576; got/ },
  rate_limit_per_key: { good: [['0', 0], ['50', 50]], bad: ['', '-1', '0.5', '1000001', 'off'], says: /must be a whole number from 0 to 1000000; got/ },
  relay_retention: { good: [['1m', MINUTE], ['60s', MINUTE], ['7d', 7 * DAY]], bad: ['', '0h', '59s', '24', '1.5h', '101y'], says: /relay_retention must be/ },
  relay_retry_for: { good: [['1m', MINUTE], ['72h', 72 * HOUR]], bad: ['', '1s', 'forever'], says: /relay_retry_for must be/ },
  audit_retention: { good: [['1d', DAY], ['24h', DAY], ['10y', 10 * YEAR]], bad: ['', '23h', '1s'], says: /audit_retention must be/ },
}

describe('the value of a setting', () => {
  it('is tested for every setting that there is', () => {
    expect(Object.keys(VALUES).sort()).to.deep.equal(SETTINGS.map(({ key }) => key))
  })

  for (const [key, { good, bad, says }] of Object.entries(VALUES)) {
    for (const [text, value] of good) {
      it(`${key} reads ${text}`, () => {
        expect(settingDefinition(key).read(text)).to.equal(value)
      })
    }
    for (const text of bad) {
      it(`${key} refuses ${JSON.stringify(text)} and says what is allowed`, () => {
        expect(() => settingDefinition(key).read(text)).to.throw(SignalbookError, says).with.property('code', 'invalid_request')
      })
    }
  }
})
