import { defineEndpoint, type Endpoint, operations } from '@agent-platform/contract';
import { fetch as undiciFetch } from 'undici';
import { describe, expect, it } from 'vitest';
import { failureOf, makeCredentialStore } from '../../testing/records.ts';
import {
  breakConnection,
  breakInBody,
  getClosedPortUrl,
  neverRespond,
  type Responder,
  replyError,
  replyJson,
  replyText,
  serveScript,
} from '../../testing/scripted-server.ts';
import { CachedCredential } from '../credentials/cached-credential.ts';
import { ApiError, ConnectionError, OutcomeUnknownError } from '../errors.ts';
import { isRecord } from '../json.ts';
import { type AgentPlatformOptions, resolveClientOptions } from '../options.ts';
import * as runtime from '../runtime-node.ts';
import { type OperationInput, Transport } from './transport.ts';

const keyed = defineEndpoint({
  id: 'keyed',
  tag: 'Orders',
  summary: 'Act once',
  method: 'POST',
  path: '/api/v1/orders/{order_id}/accept',
  auth: 'bearer',
  repeat: 'with-key',
  replies: { 200: { type: 'object', required: ['order'], properties: { order: { type: 'object' } } } },
  errors: [],
});
const all: readonly Endpoint[] = [...operations, keyed];
const repeated = all.filter(({ repeat }) => repeat !== 'never');
const neverRepeated = all.filter(({ repeat }) => repeat === 'never');

const samples: Record<string, unknown> = { object: {}, array: [], string: 'x', boolean: true, integer: 1, number: 1 };

/** Responds with the members that the contract requires in a success response. */
function success(operation: Endpoint): Responder {
  const [status = '200', schema] = Object.entries(operation.replies)[0] ?? [];
  const required = isRecord(schema) && Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const properties = isRecord(schema) && isRecord(schema['properties']) ? schema['properties'] : {};
  const sample = (name: string) => {
    const property = properties[name];
    // The type of a nullable member is a list, for which `samples` has no entry, so null is sent.
    return isRecord(property) ? (samples[String(property['type'])] ?? null) : 'x';
  };
  return replyJson(Number(status), Object.fromEntries(required.map((name) => [name, sample(name)])));
}

function callOf(operation: Endpoint, baseUrl: string, more: Partial<AgentPlatformOptions> = {}) {
  const waits: number[] = [];
  const options = {
    baseUrl,
    credentials: makeCredentialStore(baseUrl),
    random: () => 0,
    sleep: async (milliseconds: number) => {
      waits.push(milliseconds);
    },
    ...more,
  };
  const settings = resolveClientOptions(options, runtime);
  const transport = new Transport(
    settings,
    new CachedCredential(settings.credentials, settings.baseUrl.origin, settings).bearer,
  );
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const input: OperationInput = {
    params: Object.fromEntries(names.map((name) => [name, '01931f6e-0000-7000-8000-000000000001'])),
    ...(operation.body === undefined ? {} : { body: { key: 'k-1' } }),
  };
  return { answer: transport.send(operation, input), waits };
}

const transient: [string, Responder][] = [
  ['503', replyError(503, 'unavailable')],
  ['500', replyError(500, 'internal_error')],
  ['HTML of a proxy', replyText(502, '<h1>Bad gateway</h1>')],
  ['a broken connection', breakConnection],
  ['a body that breaks off', breakInBody],
];

async function expectThirdAttempt(
  operation: (typeof repeated)[number],
  fault: Responder,
  options: Partial<AgentPlatformOptions> = {},
): Promise<void> {
  const server = await serveScript(fault, fault, success(operation));
  const { answer, waits } = callOf(operation, server.url, options);

  expect((await answer).response.status, operation.id).toBe(Number(Object.keys(operation.replies)[0]));
  expect(server.received, operation.id).toHaveLength(3);
  expect(new Set(server.received.map(({ path, body }) => path + body)).size, operation.id).toBe(1);
  expect(waits, operation.id).toEqual([125, 250]);
}

// The operations run in parallel, because each waits for the full timeout twice.
it('every operation that may be repeated succeeds after two attempts without a response', async () => {
  await Promise.all(repeated.map((operation) => expectThirdAttempt(operation, neverRespond, { timeoutMs: 3_000 })));
});

describe.each(repeated.map((operation) => [operation.id, operation] as const))(
  '%s may be repeated and',
  (_, operation) => {
    it.each(transient)('succeeds after %s twice', (_name, fault) => expectThirdAttempt(operation, fault));

    it('waits for Retry-After after a 429', async () => {
      const server = await serveScript(replyError(429, 'rate_limited', { 'retry-after': '3' }), success(operation));
      const { answer, waits } = callOf(operation, server.url);

      await answer;
      expect(waits).toEqual([3_000]);
    });

    it('gives up after maxRetries', async () => {
      const server = await serveScript(replyError(503, 'unavailable'));

      const error = await failureOf(callOf(operation, server.url, { maxRetries: 2 }).answer);

      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ code: 'unavailable', retryable: true });
      expect(server.received).toHaveLength(3);
    });

    it('gives up when no server listens', async () => {
      let attempts = 0;
      const { answer } = callOf(operation, await getClosedPortUrl(), {
        fetch: (url, init) => {
          attempts += 1;
          return undiciFetch(url, init);
        },
      });

      expect(await failureOf(answer)).toMatchObject({ code: 'connection_failed' });
      expect(attempts).toBe(4);
    });
  },
);

describe.each(neverRepeated.map((operation) => [operation.id, operation] as const))(
  '%s is never repeated and',
  (_, operation) => {
    it.each([...transient, ['silence', neverRespond] as const])(
      'ends in an unknown outcome after %s',
      async (_, fault) => {
        const server = await serveScript(fault, success(operation));

        const error = await failureOf(callOf(operation, server.url, { timeoutMs: 2_000 }).answer);

        expect(error).toBeInstanceOf(OutcomeUnknownError);
        expect(error).toMatchObject({ code: 'outcome_unknown', operationId: operation.id });
        expect(server.received).toHaveLength(1);
      },
    );

    it.each([
      ['an empty answer', replyText(200, '')],
      ['HTML', replyText(200, '<h1>Welcome</h1>')],
      ['no content', replyText(204, '')],
      ['JSON of another shape', replyJson(200, { ok: true })],
      ['JSON that is no object', replyJson(200, [1])],
    ])('ends in an unknown outcome when success comes with %s', async (_name, responder) => {
      const server = await serveScript(responder);

      const error = await failureOf(callOf(operation, server.url).answer);

      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(error).toMatchObject({ cause: { code: 'unreadable_answer' } });
    });

    it('throws a 429 with its Retry-After', async () => {
      const server = await serveScript(replyError(429, 'write_limited', { 'retry-after': '3' }), success(operation));

      const error = await failureOf(callOf(operation, server.url).answer);

      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ code: 'write_limited', retryAfterSeconds: 3, retryable: true });
      expect(server.received).toHaveLength(1);
    });

    it('reports that nothing was sent when no server listens', async () => {
      let attempts = 0;
      const { answer } = callOf(operation, await getClosedPortUrl(), {
        fetch: (url, init) => {
          attempts += 1;
          return undiciFetch(url, init);
        },
      });

      const error = await failureOf(answer);

      expect(error).toBeInstanceOf(ConnectionError);
      expect(attempts).toBe(1);
    });
  },
);

describe.each(all.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
  it.each([
    [400, 'invalid_input'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [408, 'request_timeout'],
    [409, 'version_conflict'],
    [429, 'storage_quota_exceeded'],
  ])('treats %i %s as final', async (status, code) => {
    const server = await serveScript(replyError(status, code, { 'retry-after': '1' }), success(operation));

    const error = await failureOf(callOf(operation, server.url).answer);

    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status, code, requestId: 'r-1' });
    expect(server.received).toHaveLength(1);
  });
});
