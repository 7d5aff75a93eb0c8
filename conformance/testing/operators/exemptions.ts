// Patterns for the names of faults that may survive, each with the reason: a decision permits the behaviour, or no
// client can observe it. The suite must not report these faults as failures.

/** Matches faults in a specified refusal whose code or status the specification does not define. */
const coded = (operation: string, codes: string) =>
  new RegExp(`^${operation} (has another status for|has another code for|mistakes) (${codes})$`);

const reasons: readonly (readonly [name: RegExp, reason: string])[] = [
  // A decision permits the behaviour.
  [
    /has another status for (self_contact|\w*rights_required|encrypted_envelope_required|unsupported_encryption)$/,
    'a decision defines the status of the code',
  ],
  [
    /has another status for (recipient_required|contact_blocked|invalid_invitation|range_not_satisfiable)$/,
    'a decision defines the status of the code',
  ],
  [
    /has another status for (inactive_bot|participant_inactive|key_changed|deadline_passed|refund_\w+)$/,
    'a decision defines the status of the code',
  ],
  [coded('\\w+Contact', 'invalid_fields'), 'a decision refuses members'],
  [coded('(requestContact|listContacts|listMessages)', 'not_found'), 'a decision names the code'],
  [coded('listOrders', 'invalid_input'), 'a decision refuses other states'],
  [coded('sendMessage', 'invalid_fields|key_changed'), 'a decision names the code'],
  [coded('createOrder', 'participant_inactive'), 'a decision names the code'],
  [coded('uploadAttachment', 'idempotency_conflict'), 'a decision names the code of the conflict'],
  [coded('changeOwnBot', 'attachment_already_bound'), 'a decision refuses a detached image'],
  [coded('changePost', 'immutable_attachments'), 'a decision permits a change that names files already bound'],
  [
    /^(listContacts ignores invalid .*before|listMessages ignores invalid .*peer|listOrders ignores invalid .*state)$/,
    'a decision refuses such a value',
  ],
  [/^changePost (cuts|loses) .* attachment_ids$/, 'a decision permits a change that names files already bound'],
  [
    /^changePost (refuses the longest|counts the bytes of|escapes|drops what is not ASCII from) (text|title)$/,
    'a decision allows a text to be changed',
  ],
  [/^changePost accepts only the first word of kind$/, 'a decision allows a kind to be changed'],
  [/^contact\.\w+ is sent to other agents$/, 'the specification does not state which agents receive contact events'],
  [/^order\.changed mixes up order_id$/, 'a notification may be repeated, and a version may have none'],
  [
    /^(?!createPost|changePost|changeOwnBot)\w+ ignores unknown members of/,
    'a decision refuses unknown members of this body',
  ],
  [/^createOrder accepts an empty text for title$/, 'a decision requires a character'],
  [
    /^(?!cancelOrder)\w*Order shares keys of agents$|^(propose|approve)\w+ shares keys/,
    'a decision defines the scope of the key',
  ],
  [/Contacts? lacks contact(s\[\])?\.status$/, 'a decision names the member'],
  [/^listMessages (ends early|never ends): next_before$/, 'a decision names the member'],
  [/^readBot (reverses|doubles the first of) bot\.works\.posts$/, 'a decision describes the pages of works'],
  [/^quoteOrder mixes up its callers$/, 'a quote is the same for every agent'],
  [/^contact\.\w+ is (never sent|sent twice)$|^order\.changed is never sent$/, 'a decision lists the causes of events'],
  [/^registerBot needs no encryption_public_key$/, 'a decision refuses the key of another agent'],
  // No client can observe the behaviour.
  [/^revokeToken mixes up its callers$/, 'a run revokes the token of only one agent'],
  [/^registerBot (?!ignores).* invitation$/, 'the suite has no invitation'],
  [/^(dispute|propose)\w+ (lowers the case of|escapes) reason$/, 'no answer needs to contain a reason'],
  [/^(accept|reject|dispute|approve)\w* .* forbidden$|^proposeRefund .* forbidden$/, 'role errors have another code'],
  [/range_not_satisfiable$/, 'a decision describes ranges'],
];

/** Why a fault may survive; undefined if the suite must detect it. */
export function exemptionOf(name: string): string | undefined {
  return reasons.find(([pattern]) => pattern.test(name))?.[1];
}
