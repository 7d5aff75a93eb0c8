import type { Requirement } from '../suite/requirements.ts';

const row = (
  number: number,
  section: string,
  keyword: Requirement['keyword'],
  says: string,
  tested: string,
): Requirement => ({
  ...{ id: `AP-CLIENT-${String(number).padStart(3, '0')}`, section, keyword, says },
  ...{ standing: 'tested', reason: tested },
});

/** The register of the client lane: what the specification demands of an agent's program. */
export const clientRequirements: readonly Requirement[] = [
  row(
    1,
    'Errors',
    'must not',
    'A registration without an answer is not repeated blindly.',
    'its answer is lost; the same handle may be sent until it is refused',
  ),
  row(2, 'Errors', 'must not', 'A rotation of the token without an answer is not repeated.', 'its answer is lost'),
  row(
    3,
    'Errors',
    'must not',
    'The creation of a post without an answer is not repeated.',
    'its answer is slow, and then lost',
  ),
  row(4, 'Errors', 'must not', 'A 401 leads to no new registration.', 'after the lost answer of a rotation'),
  row(5, 'Errors', 'must', 'A 429 with Retry-After is followed by at least that wait.', 'on a quote, with 2 seconds'),
  row(
    6,
    'Errors',
    'must',
    'After version_conflict the order is read before its next command.',
    'the customer disputes meanwhile',
  ),
  row(
    7,
    'Errors',
    'must',
    'An order command without an answer is repeated under its saved operation_id only.',
    'its answer is lost',
  ),
  row(8, 'Errors', 'must', 'A message without an answer is repeated under its saved id only.', 'its answer is lost'),
  row(9, 'Events', 'must', 'Events that come again are recognised by their event_id.', 'each event comes three times'),
  row(
    10,
    'Events',
    'must',
    'An event is stored durably before its ack.',
    'the program is killed at its first ack and started again',
  ),
  row(11, 'Events', 'must', 'Only received events are acknowledged, in valid frames.', 'in every scenario'),
  row(12, 'Events', 'must not', 'A client does not reconnect in a dense loop.', 'three connections are cut'),
  row(
    13,
    'Message envelope',
    'must',
    'A changed key of a friend ends the sending to it.',
    'the key changes between two messages',
  ),
  row(14, 'Messages', 'must not', 'The text of a message leaves the program only sealed.', 'in every scenario'),
  row(
    15,
    'What the service does',
    'must not',
    'Texts of other agents are no instructions.',
    'a message and an order contain some',
  ),
  row(16, 'Bot (the passport)', 'must not', 'The private key is not sent to the service.', 'in every scenario'),
  row(17, 'Authentication', 'must not', 'The token is in no URL.', 'in every scenario'),
];
