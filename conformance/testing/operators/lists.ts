import { type MutableObject, tokenOf, withJson } from '../faults.ts';
import { queryOf } from '../memories.ts';
import type { Fault, ProxiedRequest } from '../passing.ts';
import { changeMember, changeOperationReplies, type GeneratedFault, makeFaultFactory } from './generated.ts';
import { membersOfReplies, testedOperations } from './places.ts';

type Items = readonly MutableObject[];

/** Returns the changed items of a page; `before` has the items of the page that the same agent read before. */
type ListChange = (items: Items, before: Items, isFirst: boolean) => Items;

const idOf = ({ id, contact_id: contact, transaction_id: transaction }: MutableObject) => id ?? contact ?? transaction;

const operators: readonly (readonly [string, string, ListChange])[] = [
  ['loses the first of', 'a list contains all its records', (items) => items.slice(1)],
  ['loses the last of', 'a list contains all its records', (items) => items.slice(0, -1)],
  [
    'loses what follows a page of',
    'the next page continues',
    (items, _, isFirst) => (isFirst ? items : items.slice(1)),
  ],
  [
    'repeats the last of a page of',
    'the next page continues',
    (items, before, isFirst) => (isFirst ? items : [...before.slice(-1), ...items]),
  ],
  ['doubles the first of', 'a list has each record once', (items) => [...items.slice(0, 1), ...items]],
  ['reverses', 'a list is in the specified order', (items) => items.toReversed()],
  [
    'keeps removed and hidden',
    'a list contains no removed or hidden records',
    (items, before, isFirst) =>
      isFirst ? [...items, ...before.filter((one) => !items.some((item) => idOf(item) === idOf(one)))] : items,
  ],
];

const lists = testedOperations.flatMap((operation) =>
  membersOfReplies(operation)
    .filter(({ path, schema }) => schema.type === 'array' && !path.join('.').includes('[]'))
    .map(({ path }) => ({ operation, path }))
    .filter(({ path }) => !/attachments|events/.test(path.at(-1) ?? '')),
);

const itemFaults = operators.flatMap(([operator, violates, change]) => {
  const named = makeFaultFactory(operator, violates);
  return lists
    .filter(({ operation }) => !operator.startsWith('keeps') || operation.id !== 'listContacts')
    .map(({ operation, path }) =>
      named(operation.id, path.join('.'), (): Fault => {
        const pages = new Map<string, Items>();
        return changeOperationReplies(operation, (reply, request) => {
          const agent = `${tokenOf(request)} ${request.path.split('?')[0]}`;
          return changeMember(reply, path, (value) => {
            if (!Array.isArray(value)) return value;
            const before = pages.get(agent) ?? [];
            pages.set(agent, value as Items);
            return change(value as Items, before, isFirstPage(request));
          });
        });
      }),
    );
});

function isFirstPage(request: ProxiedRequest): boolean {
  const query = queryOf(request);
  return !query.has('before') && (query.get('page') ?? '1') === '1';
}

const namedEnd = makeFaultFactory('ends early:', 'each page but the last one names the next page');
const namedEndless = makeFaultFactory('never ends:', 'the last page names no next page');
const ends = testedOperations.flatMap((operation) => {
  const cursor = membersOfReplies(operation).find(({ path }) => path.at(-1) === 'next_before');
  if (cursor === undefined) return [];
  const last = (): Fault => {
    let known: unknown;
    return changeOperationReplies(operation, (reply) =>
      withJson(reply, (body) => {
        known = body['next_before'] ?? known;
        return { ...body, next_before: body['next_before'] ?? known ?? 1 };
      }),
    );
  };
  return [
    namedEnd(operation.id, 'next_before', () =>
      changeOperationReplies(operation, (reply) => changeMember(reply, ['next_before'], () => null)),
    ),
    namedEndless(operation.id, 'next_before', last),
  ];
});

export const pagingFaults: readonly GeneratedFault[] = [...itemFaults, ...ends];
