import { readdirSync, readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { expect, it } from 'vitest';
import { errorCodes, eventPayloads, limits, operations } from '../src/index.ts';

const folder = new URL('../../docs/specification/', import.meta.url);
const pages = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
const text = pages.join('\n').replaceAll(/<!--.*?-->/gs, '');
const code = [...text.matchAll(/`[^`]+`/g)].join(' ');
const words = new Set(code.match(/[\w-]+/g));

/** The names of the members of a schema and of nested schemas. */
function namesOf(schema: TSchema | undefined): readonly string[] {
  const {
    properties = {},
    anyOf = [],
    items,
  } = (schema ?? {}) as {
    properties?: Readonly<Record<string, TSchema>>;
    anyOf?: readonly TSchema[];
    items?: TSchema;
  };
  const inner = [...Object.values(properties), ...anyOf, ...(items === undefined ? [] : [items])];
  return [...Object.keys(properties), ...inner.flatMap(namesOf)];
}

/** The notations that the text may use for a number. */
function formsOf(value: number): readonly string[] {
  const units = [
    ['KiB', 1024],
    ['MiB', 1024 ** 2],
    ['GiB', 1024 ** 3],
    ['million', 1_000_000],
  ] as const;
  const scaled = units.flatMap(([unit, size]) => (value % size === 0 ? [`${value / size} ${unit}`] : []));
  return [value.toLocaleString('en'), String(value), ...scaled, ...(value === 10 ** 12 ? ['10^12'] : [])];
}

it('the specification names every member and every code of the contract', () => {
  const schemas = operations.flatMap(({ params, query, body, form, replies }) => [
    params,
    query,
    body,
    form,
    ...Object.values(replies),
  ]);
  const names = [...schemas, ...Object.values(eventPayloads)].flatMap(namesOf);
  expect([...new Set([...names, ...errorCodes])].filter((name) => !words.has(name))).toEqual([]);
});

it('the specification states every limit of the contract', () => {
  const isStated = (value: number) =>
    formsOf(value).some((form) => new RegExp(`(?<![\\d,.])${form.replace('^', '\\^')}(?!\\d|,\\d)`).test(text));
  expect(Object.entries(limits).filter(([, value]) => !isStated(value))).toEqual([]);
});
