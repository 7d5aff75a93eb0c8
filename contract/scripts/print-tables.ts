import type { TSchema } from 'typebox';
import { formatOrderTransitions } from '../src/documents/order-diagram.ts';
import {
  Attachment,
  closeCodes,
  Envelope,
  type ErrorCode,
  type EventKind,
  errorCodes,
  errorStatuses,
  NewOrder,
  NewPost,
  Order,
  operations,
  Passport,
} from '../src/index.ts';
import { eventGuide } from './event-guide.ts';
import { formatMarkdownTable } from './format-table.ts';
import { formatLimitRows } from './print-limits.ts';
import { listMembers } from './print-members.ts';

const schemas: Readonly<Record<string, TSchema>> = { Attachment, Envelope, NewOrder, NewPost, Order, Passport };

// The codes in the table of §8.6; the table of §8.5 has the others.
const decidedStatuses: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['self_contact', 'rights_required', 'publication_rights_required', 'encrypted_envelope_required'] as const),
  ...(['unsupported_encryption', 'recipient_required', 'contact_blocked', 'invalid_invitation'] as const),
  ...(['registration_unavailable', 'inactive_bot', 'participant_inactive', 'key_changed', 'message_expired'] as const),
  ...(['deadline_passed', 'ledger_conflict', 'refund_proposal_exists', 'refund_not_proposed'] as const),
  ...(['method_not_allowed', 'request_timeout', 'body_too_large', 'unsupported_media_type'] as const),
  ...(['headers_too_large', 'unavailable', 'range_not_satisfiable', 'internal_error'] as const),
]);

const tables: Readonly<Record<string, (names: readonly string[]) => string>> = {
  operations: printOperations,
  members: ([name = '', ...chosen]) => printMembers(name, chosen),
  'order-states': formatOrderTransitions,
  statuses: ([kind]) => printStatuses(kind === 'decided'),
  events: printEventKinds,
  'close-codes': () => formatMarkdownTable(['code', 'reason'], Object.entries(closeCodes)),
  limits: formatLimitRows,
};

const place = /(<!-- table: ([a-z-]+)((?: \w+)*) -->\n).*?(<!-- end -->)/gs;

/** Regenerates the tables of a specification page; each table is between two comments. */
export function renderTables(page: string): string {
  return page.replaceAll(place, (_, begin: string, table: string, names: string, end: string) => {
    const print = tables[table];
    if (print === undefined) throw new Error(`No table is called ${table}.`);
    return `${begin}\n${print(names.split(' ').filter(Boolean))}\n\n${end}`;
  });
}

/** The operations of these tags or with these ids; all actions of an order share one row. */
function printOperations(names: readonly string[]): string {
  const chosen = names.flatMap((name) => operations.filter(({ id, tag }) => id === name || tag === name));
  const rows = chosen.map(({ method, path, replies, repeat }) => [
    `\`${method} ${path.replace(/(?<=\{order_id\}\/)[a-z-]+$/, '{action}')}\``,
    Object.keys(replies).join(', '),
    repeat,
  ]);
  const places = new Set(rows.map(([operation]) => operation));
  return formatMarkdownTable(
    ['operation', 'answers', 'repeat'],
    [...places].flatMap((place) => rows.filter(([operation]) => operation === place).slice(0, 1)),
  );
}

function printMembers(name: string, chosen: readonly string[]): string {
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`No object is called ${name}.`);
  const members = listMembers(schema, ({ title }: { title?: string }) => title !== undefined);
  const rows = members
    .filter(({ path }) => chosen.length === 0 || chosen.includes(path.split('.')[0] ?? ''))
    .map(({ path, form, isOptional }) => [`\`${path}\``, `${form}${isOptional ? ' (optional)' : ''}`]);
  return formatMarkdownTable(['member', 'form'], rows);
}

function printStatuses(isDecided: boolean): string {
  const codes = errorCodes.filter((code) => decidedStatuses.has(code) === isDecided);
  const statuses = [...new Set(codes.map((code) => errorStatuses[code]))].toSorted((a, b) => a - b);
  const rows = statuses.map((status) => {
    const names = codes.filter((code) => errorStatuses[code] === status).map((code) => `\`${code}\``);
    return [String(status), names.join(', ')];
  });
  return formatMarkdownTable(['status', 'codes'], rows);
}

function printEventKinds(): string {
  const kinds = Object.keys(eventGuide) as EventKind[];
  return formatMarkdownTable(
    ['kind', 'is sent when', 'to'],
    kinds.map((kind) => [`\`${kind}\``, eventGuide[kind].when, eventGuide[kind].recipient]),
  );
}
