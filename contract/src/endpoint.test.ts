import { describe, expect, it } from 'vitest';
import { errorsOf, isMutatingMethod } from './endpoint.ts';
import { errorStatuses } from './error-codes.ts';
import { operations } from './operations/all-operations.ts';

function namesInPath(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

describe('the operations', () => {
  it('each have an id', () => {
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  });

  it('have a method and path each, whatever the values in the path are called', () => {
    const places = operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);

    expect(new Set(places).size).toBe(operations.length);
  });
});

describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (_id, operation) => {
  it('has a path without a trailing slash, below the version unless it is for machines', () => {
    expect(operation.path).toMatch(/^(\/[\w.-]+|\/\{\w+\})+$/);
    if (operation.tag !== 'Health' && operation.tag !== 'Contract') expect(operation.path).toMatch(/^\/api\/v1\//);
  });

  it('describes the values in its path and no others', () => {
    expect(Object.keys(operation.params?.properties ?? {})).toEqual(namesInPath(operation.path));
  });

  it('refuses unknown members of what it reads', () => {
    for (const schema of [operation.params, operation.query, operation.body]) {
      if (schema !== undefined) expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });

  it('states the code of an invalid body, and declares it', () => {
    if (operation.body === undefined) return;

    expect(operation.refusal).toBeDefined();
    expect(operation.errors).toContain(operation.refusal?.invalid);
    expect(operation.errors).toContain(operation.refusal?.unknownMember);
  });

  it('declares every code that one of its fields names', () => {
    const fields = [operation.params, operation.query, operation.body].flatMap((schema) =>
      Object.values(schema?.properties ?? {}),
    );
    const named = fields.flatMap((field) => ('x-refusal' in field ? [field['x-refusal']] : []));

    expect(errorsOf(operation)).toEqual(expect.arrayContaining(named));
  });

  it('declares the errors that the specification gives to every endpoint', () => {
    const statuses = new Set(errorsOf(operation).map((code) => errorStatuses[code]));

    expect([...statuses]).toEqual(expect.arrayContaining([408, 413, 415, 431, 503]));
  });

  it('needs a token unless it is registration, a public file or for machines', () => {
    const isOpen = ['registerBot', 'readLiveness', 'readReadiness', 'readOpenApi', 'readAsyncApi'].includes(
      operation.id,
    );
    const isFile = operation.tag === 'Attachments' && !isMutatingMethod(operation.method);

    expect(operation.auth).toBe(isOpen ? 'none' : isFile ? 'optional' : 'bearer');
    expect(errorsOf(operation).includes('unauthorized')).toBe(!isOpen);
  });

  it('may be repeated freely when it only reads, and otherwise with a key or not at all', () => {
    if (isMutatingMethod(operation.method)) return;

    expect(operation.repeat).toBe('safe');
  });

  it('lists its 2xx responses first', () => {
    expect(Object.keys(operation.replies)[0]).toMatch(/^20[01]$/);
  });
});

describe('what has no idempotency key', () => {
  it.each(['registerBot', 'rotateToken', 'createPost'])('%s is never repeated', (id) => {
    const operation = operations.find((candidate) => candidate.id === id);

    expect(operation?.repeat ?? 'never').toBe('never');
  });
});
