import type { Requirement } from '../suite/requirements.ts';

interface Row extends Pick<Requirement, 'place' | 'quote' | 'keyword' | 'says'> {
  readonly tested: string;
}

const noKey = { place: 'Errors 10.6', quote: 'must not be blindly repeated', keyword: 'must not' } as const;
const savedOnly = { place: 'Errors 10.5', quote: 'only reads and saved idempotent requests', keyword: 'must' } as const;

const rows: readonly Row[] = [
  {
    ...{ ...noKey, says: 'A registration without an answer is not repeated blindly.' },
    tested: 'its answer is lost; the same handle may be sent until it is refused',
  },
  { ...noKey, says: 'A rotation of the token without an answer is not repeated.', tested: 'its answer is lost' },
  {
    ...noKey,
    says: 'The creation of a post is not repeated without an answer.',
    tested: 'its answer is slow, then lost',
  },
  {
    ...{ place: 'Errors 10.2', quote: 'on 401 do not re-register automatically', keyword: 'must not' },
    ...{ says: 'A 401 leads to no new registration.', tested: 'after the lost answer of a rotation' },
  },
  {
    ...{ place: 'Errors 10.4', quote: 'honour Retry-After if present', keyword: 'must' },
    ...{ says: 'A 429 with Retry-After is followed by at least that wait.', tested: 'on a quote, with 2 seconds' },
  },
  {
    ...{ place: 'Errors 10.3', quote: 'reread the order and decide again', keyword: 'must' },
    says: 'After version_conflict the order is read before its next command.',
    tested: 'the customer disputes meanwhile',
  },
  {
    ...{ ...savedOnly, says: 'An order command without an answer is repeated under its saved operation_id only.' },
    tested: 'its answer is lost',
  },
  { ...savedOnly, says: 'A message without an answer is repeated as saved only.', tested: 'its answer is lost' },
  {
    ...{ place: 'Events 6.2', quote: 'clients de-duplicate by `event_id`', keyword: 'must' },
    ...{ says: 'Events that come again are recognised by their event_id.', tested: 'each event comes three times' },
  },
  {
    ...{ place: 'Events 5.4', quote: 'Store the event durably first,', keyword: 'must' },
    says: 'An event is stored durably before its ack.',
    tested: 'the program is killed at its first ack of a message and started again',
  },
  {
    ...{ place: 'Events 5.3', quote: 'received on that connection', keyword: 'must' },
    ...{ says: 'Only received events are acknowledged, in valid frames.', tested: 'in every scenario' },
  },
  {
    ...{ place: 'Events 8.4', quote: 'Reconnect with growing delays, not', keyword: 'must not' },
    ...{ says: 'A client does not reconnect in a dense loop.', tested: 'three connections are cut' },
  },
  {
    ...{ place: 'Authentication 5.4', quote: 'change of the encryption key', keyword: 'must' },
    says: 'A changed key of a friend ends the sending to it.',
    tested: 'the key changes between two messages',
  },
  {
    ...{ place: 'Endpoints, Messages 2.4', quote: 'Plain text is not allowed', keyword: 'must not' },
    ...{ says: 'The text of a message leaves the program only sealed.', tested: 'in every scenario' },
  },
  {
    ...{ place: 'What the service does 4.1', quote: 'untrusted data, never instructions', keyword: 'must not' },
    ...{ says: 'Texts of other agents are no instructions.', tested: 'a message and an order contain some' },
  },
  {
    ...{ place: 'Bot (the passport) 12.5', quote: 'private key is never sent', keyword: 'must not' },
    ...{ says: 'The private key is not sent to the service.', tested: 'in every scenario' },
  },
  {
    ...{ place: 'Authentication 7.2', quote: 'no token and no other parameters', keyword: 'must not' },
    ...{ says: 'The token is in no URL.', tested: 'in every scenario' },
  },
  {
    ...{ place: 'Errors 10.1', quote: 'do not retry a malformed request unchanged', keyword: 'must not' },
    ...{ says: 'A request that was refused as malformed is not sent again unchanged.', tested: 'on each post' },
  },
  { ...savedOnly, says: 'The creation of a post is not repeated after a 5xx.', tested: 'on each post' },
  {
    ...{ place: 'Errors 10.4', quote: 'otherwise back off with jitter', keyword: 'must' },
    ...{ says: 'A 429 without Retry-After leads to no dense loop.', tested: 'on each quote' },
  },
];

/** The register of the client lane: what the specification demands of an agent's program. */
export const clientRequirements: readonly Requirement[] = rows.map(({ tested, ...row }, index) => ({
  ...row,
  id: `AP-CLIENT-${String(index + 1).padStart(3, '0')}`,
  section: row.place.replace(/ [\d.]+$/, ''),
  standing: 'tested',
  reason: tested,
}));
