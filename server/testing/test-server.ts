import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type ErrorCode, ErrorReply, errorStatuses, operations } from '@agent-platform/contract';
import { copyEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { copyTemplateDatabase } from '@agent-platform/testing/template-database';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import nacl from 'tweetnacl';
import type { TSchema } from 'typebox';
import { Errors } from 'typebox/schema';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { type AppDependencies, makeApp } from '../src/app.ts';
import { grantCredits } from '../src/ledger/grant-commands.ts';
import { day, hour, minute } from '../src/platform/clock.ts';
import { newId } from '../src/platform/crypto.ts';
import { makeLogger } from '../src/platform/logger.ts';
import { readSettings } from '../src/platform/settings/settings.ts';
import { openPgliteStore, openPostgresStore } from '../src/store/open-store.ts';
import type { PoolOptions } from '../src/store/orm.ts';
import { watchWrites } from '../src/store/postgres/watch-writes.ts';
import type { Store } from '../src/store/store.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // Untyped, because tests read responses of every shape.
  readonly body: Json;
}
export type Json = { readonly [member: string]: Json } & string & number & boolean & null & readonly Json[];

/** A server whose clock tests can move. */
export type TestServer = Awaited<ReturnType<typeof startTestServer>>;

interface RequestOptions {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RegisteredAgent {
  readonly id: string;
  readonly handle: string;
  readonly token: string;
}

export { day, hour, minute };

/** Disables all limits that a test does not set. */
const unlimited = {
  LOG_LEVEL: 'debug',
  PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
  PLATFORM_REGISTRATIONS_PER_HOUR: '0',
  PLATFORM_WRITES_PER_MINUTE: '0',
  PLATFORM_CONTACT_REQUESTS_PER_MINUTE: '0',
  PLATFORM_MESSAGES_PER_MINUTE: '0',
  PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0',
};

/** Parts of a server that tests may replace. */
interface TestDependencies extends Partial<Pick<AppDependencies, 'eventTickMs' | 'removalTime'>> {
  /** Wraps the server's store; tests use the original store. */
  readonly wrapStore?: (store: Store) => Store;
  readonly pool?: PoolOptions;
}

async function openEmbedded(folder: string): Promise<Store> {
  copyEmptyDatabase(folder);
  return await openPgliteStore(join(folder, 'database'));
}

/** Starts a server before the tests of a file or group, and closes it afterwards. Returns a getter for the server. */
export function useTestServer(...parts: Parameters<typeof startTestServer>): () => TestServer {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await startTestServer(...parts);
  });
  afterAll(() => server?.close());
  return () => {
    if (server === undefined) throw new Error('The server starts before all tests, and has not started yet.');
    return server;
  };
}

/** Closes the server when the test ends. */
export async function openTestServer(...parts: Parameters<typeof startTestServer>): Promise<TestServer> {
  const server = await startTestServer(...parts);
  onTestFinished(() => server.close());
  return server;
}

/**
 * Uses a free port. `database` is `copied` for a new database on the run's PostgreSQL, `embedded` for PGlite in a new
 * folder, or an address.
 */
export async function startTestServer(
  env: Readonly<Record<string, string>> = {},
  database = 'copied',
  { wrapStore = (inner) => inner, pool, ...more }: TestDependencies = {},
) {
  const folder = makeTestFolder();
  const copy = database === 'copied' ? await copyTemplateDatabase() : undefined;
  const address = copy?.environment ?? (database.startsWith('postgres') ? { DATABASE_URL: database } : {});
  const settings = readSettings({ ...unlimited, ...address, PLATFORM_DATA_DIR: folder, ...env });
  const { databaseUrl } = settings;
  const store =
    databaseUrl === undefined
      ? await openEmbedded(folder)
      : await openPostgresStore(databaseUrl, () => undefined, pool);
  await store.migrate();
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  const { log, logged } = captureLog(settings.logLevel);
  const watched = watchWrites(wrapStore(store), log);
  const app = makeApp({
    settings,
    store: watched,
    clock,
    leaseClock: clock,
    removalTime: clock,
    log,
    publicUrl: 'http://platform.test',
    ...more,
  });
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  const request = (method: string, path: string, options: RequestOptions = {}) =>
    sendRequest(url, method, path, options);
  return {
    url,
    app,
    store,
    settings,
    folder,
    logged,
    pass: (milliseconds: number) => {
      ahead += milliseconds;
    },
    request,
    register: async (handle: string, more: object = {}): Promise<RegisteredAgent> => {
      const answer = await request('POST', '/api/v1/bots/register', { body: makeRegistration(handle, more) });
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
      return { id: answer.body['bot']?.['id'] ?? '', handle, token: answer.body['token'] ?? '' };
    },
    /** Grants credits as an operator would; `agent` is a handle or an id. */
    grant: async (agent: string, amountMinor: number, operationId = newId()) => {
      await grantCredits(store, clock, { agent, amountMinor, operationId }, async () => undefined);
    },
    close: async () => {
      await app.close();
      await watched.close();
      await copy?.drop();
    },
  };
}

export function captureLog(level: string) {
  const lines: Buffer[] = [];
  const stream = new PassThrough().on('data', (line: Buffer) => lines.push(line));
  const log = makeLogger(level, { stream, isTerminal: false });
  return { log, logged: () => Buffer.concat(lines).toString() };
}

export function makeRegistration(handle: string, more: object = {}): object {
  return { handle, display_name: handle, encryption_public_key: newPublicKey(), ...more };
}

/** Returns the public key of a new key pair in base64. */
export function newPublicKey(): string {
  return Buffer.from(nacl.box.keyPair().publicKey).toString('base64');
}

/** Sends a request like a client and expects that the response conforms to the contract. */
export async function sendRequest(url: string, method: string, path: string, options: RequestOptions): Promise<Answer> {
  const headers = new Headers(options.headers);
  if (options.token !== undefined) headers.set('authorization', `Bearer ${options.token}`);
  const body = encode(options.body);
  const isJson = body !== undefined && !(body instanceof FormData);
  if (isJson && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const response = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  const answer: Answer = {
    status: response.status,
    headers: response.headers,
    body: text === '' ? (null as Json) : (JSON.parse(text) as Json),
  };
  expectContract(method, path, answer);
  return answer;
}

function encode(body: unknown): string | Uint8Array<ArrayBuffer> | FormData | undefined {
  if (body === undefined || typeof body === 'string' || body instanceof FormData) return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}

/** Expects a request id and the shape of the response in the contract. */
function expectContract(method: string, path: string, answer: Answer): void {
  expect(answer.headers.get('request-id')).toMatch(/^[0-9a-f-]{36}$/);
  if (method === 'HEAD') return;
  const operation = operations.find(
    (known) => known.method === method && matches(known.path, path.split('?')[0] ?? ''),
  );
  const schema: TSchema = operation?.replies[answer.status] ?? ErrorReply;
  const [, errors] = Errors(schema, answer.body);
  const faults = errors.map((fault) => `${fault.instancePath} ${fault.message}`);
  expect(faults, `${method} ${path} ${answer.status} ${JSON.stringify(answer.body)}`).toEqual([]);
}

function matches(pattern: string, path: string): boolean {
  return new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
}

/** Expects an error response with this code, the status of the code, and a message. */
export function expectRefusal(answer: Answer, code: ErrorCode): void {
  expect({ status: answer.status, code: answer.body['error']?.['code'] }, JSON.stringify(answer.body)).toEqual({
    status: errorStatuses[code],
    code,
  });
  expect(answer.body['error']?.['message']).toMatch(/\w{3}/);
}
