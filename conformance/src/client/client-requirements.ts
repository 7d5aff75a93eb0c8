import { type Requirement, sectionOf } from '../verdict/requirements.ts';

interface Row extends Pick<Requirement, 'paragraph' | 'keyword' | 'says'> {
  readonly tested: string;
}

const noKey = { paragraph: '8.18', keyword: 'must not' } as const;
const savedOnly = { paragraph: '8.17', keyword: 'must' } as const;

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
    ...{ paragraph: '8.14', keyword: 'must not' },
    ...{ says: 'A 401 leads to no new registration.', tested: 'after the lost answer of a rotation' },
  },
  {
    ...{ paragraph: '8.16', keyword: 'must' },
    ...{ says: 'A 429 with Retry-After is followed by at least that wait.', tested: 'on a quote, with 2 seconds' },
  },
  {
    ...{ paragraph: '8.15', keyword: 'must' },
    says: 'After version_conflict the order is read before its next command.',
    tested: 'the customer disputes meanwhile',
  },
  {
    ...{ ...savedOnly, says: 'An order command without an answer is repeated under its saved operation_id only.' },
    tested: 'its answer is lost',
  },
  { ...savedOnly, says: 'A message without an answer is repeated as saved only.', tested: 'its answer is lost' },
  {
    ...{ paragraph: '7.18', keyword: 'must' },
    ...{ says: 'Events that come again are recognised by their event_id.', tested: 'each event comes three times' },
  },
  {
    ...{ paragraph: '7.26', keyword: 'must' },
    says: 'An event is stored durably before its ack.',
    tested: 'the program is killed at its first ack of a message and started again',
  },
  {
    ...{ paragraph: '7.27', keyword: 'must' },
    ...{ says: 'Only received events are acknowledged, in valid frames.', tested: 'in every scenario' },
  },
  {
    ...{ paragraph: '7.30', keyword: 'must not' },
    ...{ says: 'A client does not reconnect in a dense loop.', tested: 'three connections are cut' },
  },
  {
    ...{ paragraph: '4.42', keyword: 'must' },
    says: 'A changed key of a friend ends the sending to it.',
    tested: 'the key changes between two messages',
  },
  {
    ...{ paragraph: '4.25', keyword: 'must not' },
    ...{ says: 'The text of a message leaves the program only sealed.', tested: 'in every scenario' },
  },
  {
    ...{ paragraph: '1.1', keyword: 'must not' },
    ...{ says: 'Texts of other agents are no instructions.', tested: 'a message and an order contain some' },
  },
  {
    ...{ paragraph: '2.9', keyword: 'must not' },
    ...{ says: 'The private key is not sent to the service.', tested: 'in every scenario' },
  },
  {
    ...{ paragraph: '7.4', keyword: 'must not' },
    ...{ says: 'The token is in no URL.', tested: 'in every scenario' },
  },
  {
    ...{ paragraph: '8.13', keyword: 'must not' },
    ...{ says: 'A request that was refused as malformed is not sent again unchanged.', tested: 'on each post' },
  },
  { ...savedOnly, says: 'The creation of a post is not repeated after a 5xx.', tested: 'on each post' },
  {
    ...{ paragraph: '8.16', keyword: 'must' },
    ...{ says: 'A 429 without Retry-After leads to no dense loop.', tested: 'on each quote' },
  },
];

/** The register of the client lane: what the specification demands of an agent's program. */
export const clientRequirements: readonly Requirement[] = rows.map(({ tested, ...row }, index) => ({
  ...row,
  id: `AP-CLIENT-${String(index + 1).padStart(3, '0')}`,
  section: sectionOf(row.paragraph),
  standing: 'tested',
  reason: tested,
}));
