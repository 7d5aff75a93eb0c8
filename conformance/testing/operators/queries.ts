import { queryOf, withQuery } from '../memories.ts';
import type { ProxiedRequest } from '../passing.ts';
import { changeOperationRequests, countCodePoints, type GeneratedFault, makeFaultFactory } from './generated.ts';
import { type ContractSchema, testedOperations } from './places.ts';

/** Returns the new value of a query parameter; `undefined` removes the parameter. */
type QueryChange = (value: string, schema: ContractSchema) => string | undefined;

const onValue = (isMeant: (value: string, schema: ContractSchema) => boolean, become: QueryChange): QueryChange => {
  return (value, schema) => (isMeant(value, schema) ? become(value, schema) : value);
};
const outside = (value: string, { minimum = 0, maximum = 0 }: ContractSchema) =>
  Number(value) < minimum || Number(value) > maximum;
const isNumber = ({ type }: ContractSchema) => type === 'integer';
const isTerm = ({ maxLength, format }: ContractSchema) => maxLength !== undefined && format === undefined;

const queryOperators: readonly (readonly [
  string,
  string,
  (schema: ContractSchema, name: string) => boolean,
  QueryChange,
])[] = [
  ['ignores', 'a parameter has its effect', () => true, () => undefined],
  [
    'ignores invalid values of',
    'an invalid parameter is refused',
    () => true,
    (value, schema) => (isRightValue(value, schema) ? value : undefined),
  ],
  [
    'accepts a fraction for',
    'an integer consists only of digits',
    isNumber,
    onValue(
      (value) => /^\d+\.\d+$/.test(value),
      (value) => `${Math.trunc(Number(value))}`,
    ),
  ],
  [
    'accepts letters after',
    'an integer consists only of digits',
    isNumber,
    onValue(
      (value) => /^\d+\D+$/.test(value),
      (value) => `${Number.parseInt(value, 10)}`,
    ),
  ],
  [
    'clamps',
    'a value outside of its bounds is refused',
    isNumber,
    onValue(
      (value, schema) => /^-?\d+$/.test(value) && outside(value, schema),
      (value, { minimum = 0, maximum = 0 }) => `${Math.min(Math.max(Number(value), minimum), maximum)}`,
    ),
  ],
  [
    'accepts one more than the maximum of',
    'a value outside of its bounds is refused',
    isNumber,
    onValue(
      (value, { maximum = 0 }) => Number(value) === maximum + 1,
      (_, { maximum }) => `${maximum}`,
    ),
  ],
  [
    'refuses the maximum of',
    'a value at its bound is accepted',
    (schema) => isNumber(schema) && schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER,
    onValue(
      (value, { maximum }) => Number(value) === maximum,
      () => '-1',
    ),
  ],
  [
    'cuts the longest',
    'a term has at most the specified number of characters',
    isTerm,
    onValue(
      (value, { maxLength = 0 }) => countCodePoints(value) > maxLength,
      (value, { maxLength }) => [...value].slice(0, maxLength).join(''),
    ),
  ],
  [
    'refuses the longest',
    'a term has at most the specified number of characters',
    isTerm,
    onValue(
      (value, { maxLength }) => countCodePoints(value) === maxLength,
      (value) => `${value}aa`,
    ),
  ],
  [
    'counts the bytes of',
    'a term has at most the specified number of characters',
    isTerm,
    onValue(
      (value, { maxLength = 0 }) => Buffer.byteLength(value) > maxLength,
      (value) => value.padEnd(400, 'a'),
    ),
  ],
  ['drops what is not ASCII from', 'a search finds the given text', isTerm, (value) => value.replaceAll(/[^ -~]/g, '')],
  ['reads a pattern in', 'a search term is not a pattern', isTerm, (value) => value.replaceAll(/[%_*\\]/g, '')],
];

const parameterFaults = queryOperators.flatMap(([operator, violates, isMeant, change]) => {
  const named = makeFaultFactory(operator, violates);
  return testedOperations.flatMap((operation) =>
    Object.entries((operation.query as ContractSchema | undefined)?.properties ?? {}).flatMap(([name, schema]) => {
      if (!isMeant(schema, name)) return [];
      const changed = (request: ProxiedRequest) => {
        const query = queryOf(request);
        const value = query.get(name);
        const next = value === null ? undefined : change(value, schema);
        if (value === null || next === value) return request;
        if (next === undefined) query.delete(name);
        else query.set(name, next);
        return withQuery(request, query);
      };
      return named(operation.id, `?${name}`, () => changeOperationRequests(operation, changed));
    }),
  );
});

const namedDefault = makeFaultFactory('has another default for', 'a parameter has the specified default');
const defaults = testedOperations.flatMap((operation) =>
  Object.entries((operation.query as ContractSchema | undefined)?.properties ?? {})
    .filter(([, schema]) => isNumber(schema))
    .map(([name]) =>
      namedDefault(operation.id, `?${name}`, () =>
        changeOperationRequests(operation, (request) => {
          const query = queryOf(request);
          if (query.has(name)) return request;
          query.set(name, '2');
          return withQuery(request, query);
        }),
      ),
    ),
);

export const queryFaults: readonly GeneratedFault[] = [...parameterFaults, ...defaults];

function isRightValue(
  value: string,
  { type, enum: words, format, minimum = 0, maximum = 0, maxLength }: ContractSchema,
): boolean {
  if (words !== undefined) return words.includes(value);
  if (format === 'uuid') return /^[0-9a-f-]{36}$/i.test(value);
  if (maxLength !== undefined) return countCodePoints(value) <= maxLength;
  return type !== 'integer' || (/^\d+$/.test(value) && Number(value) >= minimum && Number(value) <= maximum);
}
