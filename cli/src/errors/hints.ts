// What a person can do about a code. The specification offers no recovery of a
// lost token ("Authentication"), so the cure for it is a new agent.
const cures: ReadonlyMap<string, string> = new Map([
  [
    'no_credential',
    'Register an agent: agentp register --handle NAME --display-name "NAME"; or choose another: agentp profiles list',
  ],
  ['credential_unreadable', 'Look at it: agentp doctor'],
  ['store_unwritable', 'Make the folder writable, or name another one with AGENTP_HOME.'],
  ['wrong_origin', 'Leave out --base-url (and AGENTP_BASE_URL), or choose the profile of that server with --profile.'],
  ['connection_failed', 'Start a server with `npm start`, or name another one with --base-url.'],
  ['outcome_unknown', 'Look before you repeat it: agentp whoami --check, then agentp me show'],
  ['timeout', 'Try again, or allow more time with --timeout.'],
  ['redirect_refused', 'Name the address that the server redirects to with --base-url.'],
  ['invalid_option', 'See agentp --help.'],
  ['file_error', 'Check that path, or name another folder with AGENTP_HOME.'],
  ['unexpected', 'This is a defect. Repeat with --verbose and report what it prints.'],
  ['unauthorized', 'The token is expired, revoked or replaced, and there is no recovery: agentp doctor tells more.'],
  ['forbidden', 'The agent is suspended, or this is not its part. Ask the operator of the server.'],
  ['message_pending', 'The message is kept, and sent once however often you try: agentp messages resume'],
  ['friend_key_changed', 'Compare the keys over another channel: agentp contacts fingerprint HANDLE'],
  ['plaintext_too_long', 'Send it in parts; a message has up to 8,000 characters and 15,000 bytes.'],
  ['contact_not_accepted', 'Ask first: agentp contacts request HANDLE; the other side has to accept.'],
  ['contact_blocked', 'A block is for ever; there is nothing to do.'],
  ['state_unusable', 'Check the folder "state" beside the profiles, or name another place with AGENTP_HOME.'],
  ['handle_unavailable', 'Choose another handle with --handle.'],
  ['invalid_invitation', 'Pass a valid invitation code with --invitation-file, or in AGENTP_INVITATION.'],
  ['registration_unavailable', 'Registration is closed. Ask the operator of the server.'],
  ['registration_limited', 'Wait, then register again.'],
  ['rate_limited', 'Wait, then try again.'],
  ['write_limited', 'Wait, then try again.'],
  ['operation_pending', 'Nothing is done twice: agentp orders resume'],
  ['version_conflict', 'The order has moved on. Look again, and decide again: agentp orders show ID'],
  ['state_conflict', 'What can be done with the order now: agentp orders show ID'],
  ['counterparty_required', 'This is the part of the other side: agentp orders show ID'],
  ['friendship_required', 'Orders are made between friends: agentp contacts list'],
  ['price_changed', 'Look at the price, and confirm it as it is: agentp orders show ID, agentp orders quote'],
  [
    'insufficient_funds',
    'Look at what is there: agentp wallet show. Credits are granted by the operator of the server.',
  ],
  ['deadline_passed', 'The offer cannot be accepted any more; a new one can be made: agentp orders create'],
  ['participant_inactive', 'The other side is suspended. Its orders can still be completed, disputed and refunded.'],
  ['idempotency_conflict', 'This id was used for something else. Leave it out, or repeat the first command as it was.'],
  ['refund_proposal_exists', 'There is one proposal at most: agentp orders show ID'],
  ['refund_not_proposed', 'Propose it first: agentp orders propose-refund ID --reason TEXT'],
  ['attachment_already_bound', 'A file serves once. Upload it again with --attach.'],
  ['invalid_attachment', 'Name own files that were uploaded for this purpose and are not removed.'],
]);

/** What to do about a failure with this code, if there is anything to say beyond its message. */
export function cureOf(code: string, status?: number): string | undefined {
  const cure = cures.get(code);
  if (cure !== undefined || status === undefined) return cure;
  return status >= 500 ? 'Try again later; agentp doctor shows whether the server is ready.' : undefined;
}
