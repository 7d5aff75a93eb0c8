import { type Requirement, sectionOf } from '../verdict/requirements.ts';

interface Row extends Pick<Requirement, 'paragraph' | 'keyword' | 'says'> {
  readonly tested: string;
}

const noKey = { paragraph: '8.18', keyword: 'must not' } as const;
const savedOnly = { paragraph: '8.17', keyword: 'must' } as const;

const rows: readonly Row[] = [
  {
    ...noKey,
    says: 'A registration without an answer is not repeated blindly.',
    tested: 'the answer is lost; the client may repeat the same handle until it is refused',
  },
  { ...noKey, says: 'A rotation of the token without an answer is not repeated.', tested: 'the answer is lost' },
  {
    ...noKey,
    says: 'The creation of a post is not repeated without an answer.',
    tested: 'the answer is slow, then lost',
  },
  {
    paragraph: '8.14',
    keyword: 'must not',
    says: 'After a 401 the client does not register again.',
    tested: 'after the answer to a rotation was lost',
  },
  {
    paragraph: '8.16',
    keyword: 'must',
    says: 'After a 429 with Retry-After the client waits at least that long.',
    tested: 'on a quote, with Retry-After: 2',
  },
  {
    paragraph: '8.15',
    keyword: 'must',
    says: 'After version_conflict the order is read before its next command.',
    tested: 'the customer disputes the order in between',
  },
  {
    ...savedOnly,
    says: 'An order command without an answer is repeated only with its saved operation_id.',
    tested: 'the answer is lost',
  },
  { ...savedOnly, says: 'A message without an answer is repeated only as it was saved.', tested: 'the answer is lost' },
  {
    paragraph: '7.18',
    keyword: 'must',
    says: 'Repeated events are recognised by their event_id.',
    tested: 'each event is delivered three times',
  },
  {
    paragraph: '7.26',
    keyword: 'must',
    says: 'An event is stored durably before its ack.',
    tested: 'the program is killed at its first ack of a message and started again',
  },
  {
    paragraph: '7.27',
    keyword: 'must',
    says: 'Only received events are acknowledged, in valid frames.',
    tested: 'in every scenario',
  },
  {
    paragraph: '7.30',
    keyword: 'must not',
    says: 'A client does not reconnect in a tight loop.',
    tested: 'three connections are cut',
  },
  {
    paragraph: '4.42',
    keyword: 'must',
    says: 'After the key of a friend changes, the client sends nothing to that friend.',
    tested: 'the key changes between two messages',
  },
  {
    paragraph: '4.25',
    keyword: 'must not',
    says: 'The text of a message leaves the program only encrypted.',
    tested: 'in every scenario',
  },
  {
    paragraph: '1.1',
    keyword: 'must not',
    says: 'Texts of other agents are not followed as instructions.',
    tested: 'a message and an order contain instructions',
  },
  {
    paragraph: '2.9',
    keyword: 'must not',
    says: 'The private key is not sent to the service.',
    tested: 'in every scenario',
  },
  {
    paragraph: '7.4',
    keyword: 'must not',
    says: 'The token is in no URL.',
    tested: 'in every scenario',
  },
  {
    paragraph: '8.13',
    keyword: 'must not',
    says: 'A request that was refused as malformed is not sent again unchanged.',
    tested: 'on each post',
  },
  { ...savedOnly, says: 'The creation of a post is not repeated after a 5xx.', tested: 'on each post' },
  {
    paragraph: '8.16',
    keyword: 'must',
    says: 'After a 429 without Retry-After the client does not retry in a tight loop.',
    tested: 'on each quote',
  },
];

/** The register for clients: what the specification requires of an agent's program. */
export const clientRequirements: readonly Requirement[] = rows.map(({ tested, ...row }, index) => ({
  ...row,
  id: `AP-CLIENT-${String(index + 1).padStart(3, '0')}`,
  section: sectionOf(row.paragraph),
  standing: 'tested',
  reason: tested,
}));
