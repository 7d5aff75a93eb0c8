import {
  countsAsWrite,
  type Endpoint,
  type ErrorCode,
  errorCodes,
  errorStatuses,
  errorsOf,
  operations,
  orderActions,
} from '../src/index.ts';
import { errorGuide } from './error-guide.ts';

const statusTitles: Readonly<Record<number, string>> = {
  400: 'the request is malformed',
  401: 'no valid token',
  403: 'not permitted',
  404: 'absent, or not visible',
  405: 'wrong method',
  408: 'too slow',
  409: 'conflict with the current state',
  413: 'too large',
  415: 'wrong media type',
  416: 'no such range',
  429: 'a limit',
  431: 'headers too large',
  500: 'internal error',
  503: 'temporarily unavailable',
};

/** Named sets of operations, the widest first. */
const groups: readonly (readonly [name: string, has: (operation: Endpoint) => boolean])[] = [
  ['every operation', () => true],
  ['every operation except health', ({ tag }) => tag !== 'Health'],
  ['every operation that takes a token', ({ auth }) => auth !== 'none'],
  ['every change', (operation) => operation.auth === 'bearer' && countsAsWrite(operation, operation.method)],
  ['every operation with an id in its path', ({ params }) => params !== undefined],
  ['every order action', ({ path }) => orderActions.some((action) => path === `/api/v1/orders/{order_id}/${action}`)],
];

/** The operations that may return a code: named groups, then the other operations by id. */
function findPlaces(code: ErrorCode): string {
  let left = operations.filter((operation) => errorsOf(operation).includes(code));
  const places: string[] = [];
  for (const [name, has] of groups) {
    const members = operations.filter(has);
    if (!members.some((member) => left.includes(member))) continue;
    if (!members.every((member) => errorsOf(member).includes(code))) continue;
    places.push(name);
    left = left.filter((operation) => !has(operation));
  }
  places.push(...left.map(({ id }) => `\`${id}\``));
  return places.length === 0 ? 'every path' : places.join(', ');
}

/** Prints every error code with its status, cause, fix and the operations that return it. */
export function printErrors(): string {
  const statuses = [...new Set(errorCodes.map((code) => errorStatuses[code]))].toSorted((a, b) => a - b);
  const section = (code: ErrorCode) => [
    `### ${code}`,
    errorGuide[code].cause,
    `**Fix.** ${errorGuide[code].fix}`,
    `**Returned by** ${findPlaces(code)}.`,
  ];
  return `${[
    '# Errors',
    introduction,
    ...statuses.flatMap((status) => [
      `## ${status}: ${statusTitles[status]}`,
      ...errorCodes.filter((code) => errorStatuses[code] === status).flatMap(section),
    ]),
  ].join('\n\n')}\n`;
}

const introduction = `Find an error code: its cause, its fix, and the operations that return it. Printed by \`npm run generate\` from \`contract/src/error-codes.ts\`, the operations of the contract and \`contract/scripts/error-guide.ts\`.

Every error has the same format, including HTTP errors. Programs branch on \`code\`; \`message\` is for people and names the fix:

\`\`\`json
{"error":{"code":"handle_unavailable","message":"The handle alice is taken. Choose another one."}}
\`\`\`

Each code has one HTTP status. \`details\` lists the invalid members of a request. The header \`request-id\` identifies the request in the log of the
server; \`Retry-After\`, if sent, is the number of seconds to wait. Operations are named as in OpenAPI.

The SDK adds codes for client-side errors: [Errors of the SDK](../../sdk/docs/errors.md). It retries
what is safe to repeat: [Retries](../../sdk/docs/in-depth.md#retries). \`agentp\` maps each status to an
[exit code](../../cli/docs/exit-codes.md). The event stream has close codes: [Events](events.md#close-codes).`;
