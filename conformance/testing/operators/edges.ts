import { isMutatingMethod } from '@agent-platform/contract';
import { parseJsonObject, refusal } from '../faults.ts';
import type { ProxiedReply, ProxiedRequest } from '../passing.ts';
import { changeOperationRequests, type GeneratedFault, makeFaultFactory } from './generated.ts';
import { testedOperations } from './places.ts';

type Edge = (request: ProxiedRequest) => boolean;

// Malformed requests that may cause an error in a server's parser.
const ofBodies: readonly (readonly [string, Edge])[] = [
  ['broken JSON', ({ body }) => body !== '' && !isJson(body)],
  ['an empty body', ({ body }) => body === ''],
  ['a body that is a list', ({ body }) => body.startsWith('[') && isJson(body)],
  ['a body that is null', ({ body }) => body === 'null'],
  ['deep nesting', ({ body }) => body.includes('['.repeat(20))],
  ['the character U+0000', ({ body }) => body.includes('\\u0000')],
  ['a lone surrogate', ({ body }) => /\\ud8[0-9a-f]{2}(?!\\ud)/i.test(body)],
  ['huge numbers', ({ body }) => /:-?\d{17,}|:-?\d+e\d{2,}/i.test(body)],
  ['invalid UTF-8', ({ body }) => body.includes('\ufffd')],
  [
    'another media type',
    ({ headers }) => headers['content-type'] !== undefined && !/json|multipart/.test(headers['content-type']),
  ],
  ['an array for a text', ({ body }) => Object.values(parseJsonObject(body) ?? {}).some(Array.isArray)],
];
const ofPaths: readonly (readonly [string, Edge])[] = [
  ['an invalid id', ({ path }) => /\/no-?(id|uuid)/.test(path.split('?')[0] ?? '')],
  ['an invalid escape', ({ path }) => /%(?![0-9a-f]{2})|%(ff|c0|00)/i.test(path.split('?')[0] ?? '')],
];
const ofQueries: readonly (readonly [string, Edge])[] = [
  ['a repeated parameter', ({ path }) => /[?&](\w+)=.*&\1=/.test(path)],
  ['a huge number in the query', ({ path }) => /[?&]\w+=\d{15,}/.test(path)],
  ['an odd character in the query', ({ path }) => /%00|%ff|%ed%a0%80/i.test(path.split('?')[1] ?? '')],
];

const becomes: readonly (readonly [string, () => ProxiedReply])[] = [
  ['answers 500 to', () => refusal(500, 'internal_error')],
  ['drops the connection at', () => ({ raw: '', status: 0, headers: {}, body: '' })],
];

// One action of each kind is enough: all order actions share a body parser, and so do both contact actions.
const isRead = ({ id, path }: (typeof testedOperations)[number]) =>
  !/\{order_id\}|\{contact_id\}/.test(path) || ['disputeOrder', 'acceptContact'].includes(id);

/** Servers that answer such malformed requests with 500, or close the connection without an answer. */
export const edgeFaults: readonly GeneratedFault[] = becomes.flatMap(([operator, become]) => {
  const named = makeFaultFactory(operator, 'a malformed request is refused, and no request causes a 500');
  return testedOperations.flatMap((operation) => {
    const edges = [
      ...(isMutatingMethod(operation.method) && operation.body !== undefined && isRead(operation) ? ofBodies : []),
      ...(operation.path.includes('{') ? ofPaths : []),
      ...(operation.query === undefined ? [] : ofQueries),
    ];
    return edges.map(([edge, isMeant]) =>
      named(operation.id, edge, () =>
        changeOperationRequests(operation, (request) => (isMeant(request) ? become() : request)),
      ),
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
