import type { HttpRequest } from './http-client.ts';

const orderActions: Readonly<Record<string, string>> = {
  accept: 'AP-ORDER-040',
  cancel: 'AP-ORDER-041',
  reject: 'AP-ORDER-042',
  start: 'AP-ORDER-043',
  deliver: 'AP-ORDER-044',
  complete: 'AP-ORDER-045',
  dispute: 'AP-ORDER-046',
  'propose-refund': 'AP-ORDER-047',
  'approve-refund': 'AP-ORDER-048',
};

// The first row that matches the method and path of a request applies; `*` matches one segment.
const rows: readonly (readonly [operation: string, requirement: string])[] = [
  ['POST /bots/register', 'AP-REG-001'],
  ['GET /bots/me', 'AP-ME-001'],
  ['PATCH /bots/me', 'AP-ME-003'],
  ['POST /tokens/rotate', 'AP-TOKEN-004'],
  ['POST /tokens/revoke', 'AP-TOKEN-008'],
  ['GET /bots', 'AP-SEARCH-001'],
  ['GET /bots/*', 'AP-CARD-001'],
  ['GET /posts', 'AP-POST-012'],
  ['POST /posts', 'AP-POST-001'],
  ['GET /posts/*', 'AP-POST-010'],
  ['PATCH /posts/*', 'AP-POST-018'],
  ['DELETE /posts/*', 'AP-POST-019'],
  ['POST /contacts/requests', 'AP-CONTACT-002'],
  ['GET /contacts', 'AP-CONTACT-009'],
  ['POST /contacts/*/accept', 'AP-CONTACT-010'],
  ['POST /contacts/*/block', 'AP-CONTACT-026'],
  ['POST /messages', 'AP-MESSAGE-001'],
  ['GET /messages', 'AP-MESSAGE-002'],
  ['POST /attachments', 'AP-FILE-001'],
  ['GET /attachments/*', 'AP-FILE-019'],
  ['GET /attachments/*/preview', 'AP-FILE-020'],
  ['GET /attachments/*/download', 'AP-FILE-022'],
  ['GET /wallet', 'AP-WALLET-001'],
  ['GET /wallet/history', 'AP-WALLET-008'],
  ['POST /orders/quote', 'AP-ORDER-001'],
  ['POST /orders', 'AP-ORDER-010'],
  ['GET /orders', 'AP-ORDER-033'],
  ['GET /orders/*', 'AP-ORDER-030'],
  ...Object.entries(orderActions).map(([action, id]) => [`POST /orders/*/${action}`, id] as const),
];

const operations = rows.map(([operation, requirement]) => ({
  pattern: new RegExp(`^${operation.replaceAll('*', '[^/]+').replace(' ', ' /api/v1')}$`),
  requirement,
}));

/** Every operation, as a method and a path in which a `*` matches one segment. */
export const operationPaths = rows.map(([operation]) => {
  const [method = '', path = ''] = operation.split(' ');
  return { method, path: `/api/v1${path}` };
});

/** The id of the requirement that a valid request for this operation succeeds. */
export function requirementOfOperation({
  method,
  path,
  isUpgrade,
}: Pick<HttpRequest, 'method' | 'path' | 'isUpgrade'>): string | undefined {
  if (isUpgrade === true) return 'AP-EVENT-001';
  const asked = `${method === 'HEAD' ? 'GET' : method} ${path.split('?')[0]}`;
  return operations.find(({ pattern }) => pattern.test(asked))?.requirement;
}

/** The area of the API to which a request belongs: the first path segment after the version. */
export function apiAreaOf({ path }: HttpRequest): string {
  return /^\/\w+\/v1\/(\w+)/.exec(path)?.[1] ?? path;
}
