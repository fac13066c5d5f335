import type { Change, ChangeKind } from '../event-spec.ts'

/** One rule of the catalogue, as `GET /v1/rules` shows it. */
export interface Rule {
  /** Every kind that the rule can come out as, the most severe first. */
  kind: readonly ChangeKind[]
  /** Whom it can break; a single change says whom it does break. */
  breaks: Change['breaks']
  meaning: string
  example: string
}

const BOTH: Change['breaks'] = ['producers', 'consumers']
const PRODUCERS: Change['breaks'] = ['producers']
const CONSUMERS: Change['breaks'] = ['consumers']
const NOBODY: Change['breaks'] = []

/** A constraint: `MAJOR` and bad for producers when it gets tighter, `MINOR` and news for consumers when it gets looser. */
function constraint(meaning: string, example: string): Rule {
  return { kind: ['MAJOR', 'MINOR'], breaks: BOTH, meaning, example }
}

function rule(kind: ChangeKind, breaks: Change['breaks'], meaning: string, example: string): Rule {
  return { kind: [kind], breaks, meaning, example }
}

const TABLE = {
  'event.name-changed': rule('MAJOR', BOTH, 'The name that senders use changed: events under the old one no longer belong to the spec.', "event_name changed from 'Order Placed' to 'Order Completed'"),
  'event.call-type-changed': rule('MAJOR', BOTH, 'Another relay call sends the event.', 'type changed from track to page'),
  'event.status-deleted': rule('MAJOR', BOTH, 'The event is no longer in force; what is sent counts as a violation.', 'status changed from deprecated to deleted'),
  'event.status-changed': rule('MINOR', NOBODY, 'The event moved to another status than deleted.', 'status changed from active to deprecated'),
  'event.sampling': rule('MINOR', CONSUMERS, 'Another share of the events, or another choice of them, comes through.', 'sampling changed from {"rate":1} to {"rate":0.1}'),
  'event.context-props': rule('MINOR', CONSUMERS, 'A context property changed in a way that no sender notices.', "optional context property 'plan' removed"),
  'event.provider-overrides': rule('MINOR', CONSUMERS, 'A destination receives the event in another form.', 'provider_overrides changed'),
  'event.validation-mode': rule('MINOR', NOBODY, 'What happens to events that break the spec changed; what the spec says did not.', 'validation mode changed from warn to strict'),
  'event.destinations': rule('PATCH', NOBODY, 'The destinations named by the spec changed.', 'destinations changed'),
  'event.priority': rule('PATCH', NOBODY, 'The order or priority of properties changed.', 'property_priority changed'),
  'event.metadata': rule('PATCH', NOBODY, 'A part of the spec changed that says nothing about events: owner, tags, examples, keys of other tools.', 'owner changed'),
  'event.changelog': rule('PATCH', NOBODY, 'The changelog changed.', 'changelog changed'),
  'event.closed': rule('MAJOR', PRODUCERS, 'Properties that the spec does not list are now refused.', 'the event no longer allows additional properties'),
  'event.opened': rule('MINOR', CONSUMERS, 'Properties that the spec does not list now come through.', 'the event now allows additional properties'),

  'prop.required-added': rule('MAJOR', BOTH, 'Senders of the version before do not send the property, and are refused.', "required property 'price' added"),
  'prop.required-added-default': rule('MAJOR', BOTH, 'As prop.required-added: nothing fills in the default.', "required property 'currency' added"),
  'prop.optional-added': constraint('A property that the event did not allow, or allowed only within limits for other names, is now listed.', "optional property 'coupon' added"),
  'prop.optional-added-open': rule('MINOR', BOTH, 'The event allowed the name with any value before. Whoever sent it with another type is refused; only traffic can tell.', "optional property 'coupon' added"),
  'prop.required-removed': rule('MAJOR', BOTH, 'What every event held may be missing; a closed event refuses it from those who still send it.', "required property 'price' removed"),
  'prop.optional-removed': rule('MAJOR', BOTH, 'Nobody says any longer what the property holds; a closed event refuses it from those who still send it.', "optional property 'coupon' removed"),
  'prop.renamed-with-alias': { kind: ['MAJOR', 'MINOR'], breaks: BOTH, meaning: "A new property lists the removed one's name in its aliases. MAJOR where events under the old name are refused.", example: "property 'total' renamed from 'amount', which stays as an alias" },
  'prop.rename-suspected': rule('PATCH', NOBODY, 'A note beside a removal and an addition: both have the same definition.', "property 'total' has the definition that 'amount' had; if it was renamed, list 'amount' in its aliases"),
  'prop.became-required': rule('MAJOR', PRODUCERS, 'Events without the property are now refused.', "property 'price' became required"),
  'prop.became-optional': rule('MINOR', CONSUMERS, 'Events without the property now come through.', "property 'price' became optional"),
  'prop.reused-name': rule('MAJOR', CONSUMERS, 'A name that an earlier version gave up comes back with another type, in the same column.', "property 'price' had type string in 1-0-0 and comes back with type number"),

  'type.changed': rule('MAJOR', BOTH, 'No value has a type that both versions allow.', "property 'price' type changed from string to integer"),
  'type.widened': rule('MAJOR', CONSUMERS, 'Values of another type now come through, which columns and generated code do not hold.', "property 'price' type changed from integer to number"),
  'type.narrowed': rule('MAJOR', PRODUCERS, 'Values of a type that was allowed are refused.', "property 'price' type changed from number to integer"),
  'type.nullable-added': rule('MINOR', CONSUMERS, 'Null now comes through.', "property 'price' now allows null"),
  'type.nullable-removed': rule('MAJOR', PRODUCERS, 'Null is now refused.', "property 'price' no longer allows null"),

  'enum.value-removed': rule('MAJOR', PRODUCERS, 'A listed value is refused.', "property 'plan' enum value 'free' removed"),
  'enum.value-added': rule('MINOR', CONSUMERS, 'A value comes through that consumers have never seen.', "property 'plan' enum value 'team' added"),
  'enum.added': rule('MAJOR', PRODUCERS, 'Only listed values are still allowed.', "property 'plan' now allows 2 values only: 'free', 'pro'"),
  'enum.removed': rule('MINOR', CONSUMERS, 'Values beyond the list now come through.', "property 'plan' is no longer limited to 2 values: 'free', 'pro'"),
  'const.added': rule('MAJOR', PRODUCERS, 'Only one value is still allowed.', "property 'source' must now be 'web'"),
  'const.changed': rule('MAJOR', BOTH, 'The one value allowed is another one.', "property 'source' constant changed from 'web' to 'app'"),
  'const.removed': rule('MINOR', CONSUMERS, 'Values beside the one allowed now come through.', "property 'source' no longer needs to be 'web'"),

  'str.min-length': constraint('The minimum length changed.', "property 'code' minimum length increased from 2 to 3"),
  'str.max-length': constraint('The maximum length changed.', "property 'code' maximum length decreased from 10 to 5"),
  'str.pattern-added': rule('MAJOR', PRODUCERS, 'Strings that do not match are refused.', "property 'code' pattern '^[A-Z]+$' added"),
  'str.pattern-changed': rule('MAJOR', BOTH, 'Strings that matched may be refused, others come through; proven when a string shows it.', "property 'code' pattern changed from '^a' to '^b'"),
  'str.pattern-removed': rule('MINOR', CONSUMERS, 'Strings that did not match come through.', "property 'code' pattern '^[A-Z]+$' removed"),
  'str.format-added': rule('MAJOR', PRODUCERS, 'Values of another format are refused.', "property 'mail' format 'email' added"),
  'str.format-changed': { kind: ['MAJOR', 'MINOR'], breaks: BOTH, meaning: 'Values of the format before are refused. MINOR when the new format is not checked.', example: "property 'at' format changed from 'date' to 'date-time'" },
  'str.format-removed': rule('MINOR', CONSUMERS, 'Values of another format come through.', "property 'mail' format 'email' removed"),

  'num.minimum': constraint('The minimum changed.', "property 'price' minimum increased from 0 to 1"),
  'num.maximum': constraint('The maximum changed.', "property 'price' maximum decreased from 10 to 5"),
  'num.exclusive-minimum': constraint('The minimum itself is refused, or allowed again.', "property 'price' minimum 0 became exclusive"),
  'num.exclusive-maximum': constraint('The maximum itself is refused, or allowed again.', "property 'price' maximum 10 became exclusive"),
  'num.multiple-of': constraint('The step between values changed. Looser only when each value allowed before still is one.', "property 'price' must now be a multiple of 0.05, no longer of 0.01"),

  'arr.items': constraint('A rule for every item appeared or went; a rule that changed is told by its own change.', "property 'tags' items are now restricted"),
  'arr.min-items': constraint('The minimum number of items changed.', "property 'tags' minimum number of items 1 added"),
  'arr.max-items': constraint('The maximum number of items changed.', "property 'tags' maximum number of items decreased from 10 to 5"),
  'arr.unique-items': constraint('Whether an item may occur twice changed.', "property 'tags' items must now be unique"),
  'arr.prefix-items': constraint('A position of an array got a definition of its own or lost it.', "property 'range' item 1 got a definition of its own"),
  'arr.additional-items': constraint('The rule for items behind the listed positions changed.', "property 'range' no longer allows items beyond those listed"),
  'arr.unevaluated-items': constraint('The rule for items that no other keyword looks at may refuse other items than before.', "property 'range' unevaluatedItems changed"),
  'arr.contains': constraint('What an array must contain changed.', "property 'tags' must now contain certain items"),
  'arr.min-contains': constraint('How many such items it must contain changed.', "property 'tags' minimum number of items to contain increased from 1 to 2"),
  'arr.max-contains': constraint('How many such items it may contain changed.', "property 'tags' maximum number of items to contain 3 added"),

  'obj.closed': rule('MAJOR', PRODUCERS, 'Inside an object, properties that are not listed are now refused.', "property 'address' no longer allows additional properties"),
  'obj.opened': rule('MINOR', CONSUMERS, 'Inside an object, properties that are not listed now come through.', "property 'address' now allows additional properties"),
  'obj.additional-properties': constraint('A rule for the values of properties that are not listed appeared or went.', "property 'labels' now restricts additional properties"),
  'obj.min-properties': constraint('The minimum number of properties changed.', "property 'labels' minimum number of properties 1 added"),
  'obj.max-properties': constraint('The maximum number of properties changed.', "property 'labels' maximum number of properties decreased from 10 to 5"),
  'obj.property-names': constraint('Which names properties may have changed.', "property 'labels' property names are now restricted"),
  'obj.pattern-properties': constraint('A rule for properties whose names match a pattern appeared or went.', "property 'labels' pattern '^x-' for property names added"),
  'obj.dependent-required': constraint('A property is required, or no longer, when another one is present.', "property 'payment' now needs 'address' when 'card' is present"),
  'obj.dependent-schemas': constraint('What an object must be when a property is present changed.', "property 'payment' what it must be when 'card' is present changed"),
  'obj.unevaluated-properties': constraint('The rule for properties that no other keyword looks at may refuse other ones than before.', "property 'payment' unevaluatedProperties changed"),

  'comb.all-of': { kind: ['MAJOR', 'MINOR', 'PATCH'], breaks: BOTH, meaning: 'A value must keep to one definition more, or one less.', example: "property 'id' allOf member 1 added" },
  'comb.any-of': { kind: ['MAJOR', 'MINOR', 'PATCH'], breaks: BOTH, meaning: 'An alternative was removed or added. PATCH when the others cover it.', example: "property 'id' anyOf alternative 1 removed" },
  'comb.one-of-added': { kind: ['MAJOR', 'MINOR', 'PATCH'], breaks: BOTH, meaning: 'An alternative was added of which exactly one may match: a value that matches two is refused. MINOR when no value can match two, PATCH when the others cover it.', example: "property 'id' oneOf alternative 2 added" },
  'comb.one-of-removed': { kind: ['MAJOR', 'MINOR', 'PATCH'], breaks: BOTH, meaning: 'An alternative of which exactly one may match was removed, or all of them. PATCH when the others cover it.', example: "property 'id' oneOf alternative 2 removed" },
  'comb.one-of-changed': { kind: ['MAJOR', 'MINOR', 'PATCH'], breaks: BOTH, meaning: 'An alternative changed of which exactly one may match, and values may match two.', example: "property 'id' oneOf alternatives changed" },
  'comb.any-to-one': { kind: ['MAJOR', 'PATCH'], breaks: BOTH, meaning: 'anyOf became oneOf: a value that matches two alternatives is refused. PATCH when no value can.', example: "property 'id' anyOf became oneOf" },
  'comb.one-to-any': { kind: ['MAJOR', 'MINOR', 'PATCH'], breaks: BOTH, meaning: 'oneOf became anyOf: a value that matches two alternatives comes through. PATCH when no value can.', example: "property 'id' oneOf became anyOf" },
  'comb.not': { kind: ['MAJOR', 'MINOR'], breaks: BOTH, meaning: 'More is excluded than before, or less.', example: "property 'id' excludes other values than before" },
  'comb.if-then-else': { kind: ['MAJOR', 'MINOR'], breaks: BOTH, meaning: 'A condition, or what follows from it, changed.', example: "property 'payment' condition changed" },

  'ann.description': rule('PATCH', NOBODY, 'The description changed.', 'description changed'),
  'ann.title': rule('PATCH', NOBODY, 'The title or display name changed.', "property 'price' title changed"),
  'ann.examples': rule('PATCH', NOBODY, 'The examples changed.', "property 'price' examples changed"),
  'ann.comment': rule('PATCH', NOBODY, 'The comment changed.', "property 'price' $comment changed"),
  'ann.deprecated': rule('PATCH', NOBODY, 'The property was marked as deprecated, or no longer is.', "property 'price' deprecated added"),
  'ann.default-changed': rule('PATCH', NOBODY, 'The default changed; the service fills in none.', "property 'price' default changed"),
  'ann.alias-added': rule('MINOR', NOBODY, 'Another name of the property is on record.', "property 'total' alias 'amount' added"),
  'ann.alias-removed': rule('MAJOR', PRODUCERS, 'A former name of the property is no longer on record.', "property 'total' alias 'amount' removed"),
  'ann.other': rule('PATCH', NOBODY, 'Another keyword changed that describes values and refuses none.', "property 'price' readOnly added"),
  'ann.no-effect': rule('PATCH', NOBODY, 'The definition is written differently and allows the same values.', "property 'price' minLength changed, without effect on its values"),

  'privacy.pii-weakened': rule('MAJOR', CONSUMERS, 'A personal value is marked as less personal, or is no longer hashed, and may reach tools that must not see it.', "property 'mail' pii changed from email to none"),
  'privacy.pii-changed': rule('PATCH', NOBODY, 'A value is marked as more personal, or as personal in another way.', "property 'mail' pii changed from none to email"),

  'keyword.unknown': rule('MINOR', NOBODY, 'A keyword changed that the registry does not know. Validation passes over it; what it means to others nobody here can tell.', "property 'price' keyword 'precision' changed"),
  'schema.undecided': rule('MAJOR', BOTH, 'Definitions differ in a way that the diff cannot weigh: count on a break.', 'the event may allow other values than before'),
} satisfies Record<string, Rule>

/** Id of a rule; a change cannot name one that is not in the table. */
export type RuleId = keyof typeof TABLE

/** Every rule that a change can name. */
export const rules: Readonly<Record<RuleId, Rule>> = TABLE
