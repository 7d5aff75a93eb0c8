import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { layEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { runOperator } from '../src/operator/run-operator.ts';
import { systemClock } from '../src/platform/clock.ts';
import { makeLogger } from '../src/platform/logger.ts';
import { readSettings } from '../src/platform/settings/settings.ts';
import { startServer } from '../src/process/start-server.ts';
import type { Store } from '../src/store/store.ts';
import { registration } from './test-server.ts';

/** What an operator command printed, and how it ended. */
interface CommandOutput {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
  /** The output of `--json`. */
  readonly json: () => unknown;
}

/** A server of an installation, with its log. */
export interface Instance {
  readonly url: string;
  readonly logged: () => string;
  /** Its database, for tests that break something on purpose. */
  readonly store: Store;
  readonly stop: () => Promise<void>;
}

/** A data folder with its settings, as an operator has it. */
export interface Installation {
  readonly env: Readonly<Record<string, string>>;
  readonly dataDir: string;
  /** Runs a command line of the operator in this process. */
  readonly operator: (...words: string[]) => Promise<CommandOutput>;
  /** The same as another user of the system. */
  readonly operatorAs: (uid: number, ...words: string[]) => Promise<CommandOutput>;
  readonly start: () => Promise<Instance>;
  /** Stops what is running and removes the folder. */
  readonly remove: () => Promise<void>;
}

/** Makes an installation in a temporary folder, on PGlite unless `env` names a PostgreSQL. */
export function makeInstallation(env: Readonly<Record<string, string>> = {}): Installation {
  const root = mkdtempSync(join(tmpdir(), 'installation-'));
  const dataDir = env['PLATFORM_DATA_DIR'] ?? join(root, 'data');
  const whole = {
    PORT: '0',
    PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
    PLATFORM_REGISTRATIONS_PER_HOUR: '0',
    ...env,
    PLATFORM_DATA_DIR: dataDir,
  };
  const running = new Set<Instance>();
  return {
    env: whole,
    dataDir,
    operator: (...words) => operate(whole, process.getuid?.(), words),
    operatorAs: (uid, ...words) => operate(whole, uid, words),
    start: async () => {
      if (env['DATABASE_URL'] === undefined) layEmptyDatabase(dataDir);
      const instance = await startInstance(whole, () => running.delete(instance));
      running.add(instance);
      return instance;
    },
    remove: async () => {
      for (const instance of running) await instance.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function operate(
  env: Readonly<Record<string, string>>,
  uid: number | undefined,
  words: readonly string[],
): Promise<CommandOutput> {
  let out = '';
  let err = '';
  const exitCode = await runOperator(words, {
    env,
    nodeVersion: 'v24.0.0',
    uid,
    clock: systemClock,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    errorStream: new PassThrough().resume(),
  });
  return { exitCode, out, err, json: () => JSON.parse(out) as unknown };
}

async function startInstance(env: Readonly<Record<string, string>>, onStop: () => void): Promise<Instance> {
  const lines: Buffer[] = [];
  const stream = new PassThrough().on('data', (line: Buffer) => lines.push(line));
  const log = makeLogger('info', { stream, isTerminal: false });
  const server = await startServer({ settings: readSettings(env), clock: systemClock, log });
  const stop = async () => {
    onStop();
    await server.stop();
  };
  return { url: server.url, logged: () => Buffer.concat(lines).toString(), store: server.store, stop };
}

/** Registers an agent as any client would: the status, and the token when there is one. */
export async function register(
  url: string,
  handle: string,
  more: object = {},
): Promise<{ readonly status: number; readonly code: string | undefined; readonly token: string }> {
  const answer = await fetch(`${url}/api/v1/bots/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(registration(handle, more)),
  });
  const body = (await answer.json()) as { readonly token?: string; readonly error?: { readonly code: string } };
  return { status: answer.status, code: body.error?.code, token: body.token ?? '' };
}

/** The status that a token gets for its own passport. */
export async function statusOf(url: string, token: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/bots/me`, { headers: { authorization: `Bearer ${token}` } });
  await answer.body?.cancel();
  return answer.status;
}
