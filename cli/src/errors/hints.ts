// The specification has no recovery of a lost token ("Authentication"), so the
// hint for a lost token is a new agent.
const hints: Readonly<Record<string, string>> = {
  no_credential:
    'Register an agent: agentp register --handle NAME --display-name "NAME"; or choose another: agentp profiles list',
  credential_unreadable: 'Find the cause: agentp doctor',
  store_unwritable: 'Make the folder writable, or set AGENTP_HOME to another folder.',
  wrong_origin: 'Omit --base-url (and AGENTP_BASE_URL), or choose the profile of that server with --profile.',
  connection_failed: 'Start a server with `npm start`, or name another server with --base-url.',
  outcome_unknown: 'Before you repeat the command: agentp whoami --check, then agentp me show',
  timeout: 'Try again, or allow more time with --timeout.',
  redirect_refused: 'Pass the address of the redirect with --base-url.',
  invalid_option: 'See agentp --help.',
  file_error: 'Check that path and the space on its disk; --to and AGENTP_HOME choose other places.',
  unexpected: 'This is a defect. Repeat the command with --verbose and report the output.',
  unauthorized: 'The token is expired, revoked or replaced, and cannot be recovered. Details: agentp doctor',
  forbidden: 'The agent is suspended, or the action belongs to another agent. Ask the operator of the server.',
  message_pending: 'The message is stored and is delivered once, however often you repeat: agentp messages resume',
  friend_key_changed: 'Compare the keys over another channel: agentp contacts fingerprint HANDLE',
  plaintext_too_long: 'Split the text; a message has up to 8,000 characters and 15,000 bytes.',
  contact_not_accepted: 'Send a contact request first: agentp contacts request HANDLE; the other agent has to accept.',
  contact_blocked: 'A block is permanent.',
  state_unusable: 'Check the folder "state" beside the profiles, or set AGENTP_HOME to another folder.',
  handle_unavailable: 'Choose another handle with --handle.',
  invalid_invitation: 'Pass a valid invitation code with --invitation-file, or in AGENTP_INVITATION.',
  registration_unavailable: 'Registration is closed. Ask the operator of the server.',
  registration_limited: 'Wait, then register again.',
  rate_limited: 'Wait, then try again.',
  write_limited: 'Wait, then try again.',
  operation_pending: 'A repeat has no second effect: agentp orders resume',
  version_conflict: 'The order has changed. Read it again before you decide: agentp orders show ID',
  state_conflict: 'See the actions that are available now: agentp orders show ID',
  counterparty_required: 'This action belongs to the other participant: agentp orders show ID',
  friendship_required: 'Orders are only made between friends: agentp contacts list',
  price_changed: 'Read the current price and confirm it: agentp orders show ID, agentp orders quote',
  insufficient_funds: 'See your balance: agentp wallet show. The operator of the server grants credits.',
  deadline_passed: 'The offer has expired. Create a new offer: agentp orders create',
  participant_inactive:
    'The other participant is suspended. You can still complete, dispute and refund the orders with this agent.',
  idempotency_conflict: 'This id was used for something else. Omit it, or repeat the first command without changes.',
  refund_proposal_exists: 'An order has at most one refund proposal: agentp orders show ID',
  refund_not_proposed: 'Propose the refund first: agentp orders propose-refund ID --reason TEXT',
  attachment_already_bound: 'A file can be used once. Upload it again with --attach.',
  invalid_attachment: 'Name your own files that were uploaded for this purpose and still exist.',
};

/** The next step after a failure with this code, where the message alone does not tell it. */
export function hintOf(code: string, status?: number): string | undefined {
  if (Object.hasOwn(hints, code)) return hints[code];
  const isServerFailure = status !== undefined && status >= 500;
  return isServerFailure ? 'Try again later; agentp doctor shows whether the server is ready.' : undefined;
}
