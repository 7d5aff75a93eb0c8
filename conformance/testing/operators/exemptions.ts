// Faults that may survive: what they do is permitted by the specification, which leaves it to a decision, or no client can
// see it. A pattern for the name of a fault, and the reason. The suite must not accuse them.
const reasons: readonly (readonly [name: RegExp, reason: string])[] = [
  // Permitted.
  [
    /has another status for (self_contact|\w*rights_required|encrypted_envelope_required|unsupported_encryption)$/,
    'a decision gives the code its status',
  ],
  [
    /has another status for (recipient_required|contact_blocked|invalid_invitation|range_not_satisfiable)$/,
    'a decision gives the code its status',
  ],
  [
    /has another status for (inactive_bot|participant_inactive|key_changed|deadline_passed|refund_\w+)$/,
    'a decision gives the code its status',
  ],
  [
    /^\w+Contact (has another status for|has another code for|mistakes|accepts .*) invalid_fields$/,
    'a decision refuses members',
  ],
  [/^(requestContact|list\w+) .* not_found$/, 'a decision names the code'],
  [/^listContacts .* invalid_id$/, 'a decision refuses such a cursor'],
  [/^listOrders .* (invalid_input|\?state)$/, 'a decision refuses other states'],
  [/^sendMessage .* (invalid_fields|key_changed)$/, 'a decision names the code'],
  [/^(create|accept)Order (has another code for|mistakes) participant_inactive$/, 'a decision names the code'],
  [
    /^uploadAttachment (has another code for|mistakes) idempotency_conflict$/,
    'a decision names the code of the conflict',
  ],
  [/^changePost .* immutable_attachments$/, 'a decision lets a change name the bound files'],
  [
    /^changePost (refuses the longest|counts the bytes of|ignores|escapes|drops \w.*) (text|title)$/,
    'a decision lets a text be changed',
  ],
  [/^registerBot needs no encryption_public_key$/, 'a decision refuses the key of another agent'],
  [/^revokeToken mixes up its callers$/, 'a run revokes the token of one agent'],
  [
    /^(?!createPost|changePost|changeOwnBot)\w+ ignores unknown members of/,
    'a decision refuses unknown members of this body',
  ],
  [/^createOrder takes nothing for title$/, 'a decision asks for a character'],
  [/^\w*Order shares keys of agents$|^(accept|propose|approve)\w+ shares keys/, 'a decision says whose key it is'],
  [/Contacts? lacks contact(s\[\])?\.status$/, 'a decision names the member'],
  [/^quoteOrder mixes up its callers$/, 'a quote is the same for every agent'],
  [/^contact\.\w+ is (never sent|sent twice)$/, 'a decision lists the causes of events'],
  [/^contact\.\w+ lacks its payload$/, 'a decision describes the payload'],
  // Not seen from outside.
  [/^registerBot .* invitation$/, 'the suite has no invitation'],
  [/^(dispute|propose)\w+ (lowers the case of|escapes) reason$/, 'no answer has to show a reason'],
  [/ (forbidden)$/, 'this action has no role that is refused so'],
  [/range_not_satisfiable$/, 'a decision describes ranges'],
];

/** Why a fault may survive; undefined where the suite has to find it. */
export function exemptionOf(name: string): string | undefined {
  return reasons.find(([pattern]) => pattern.test(name))?.[1];
}
