import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { layEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { runOperator } from '../src/operator/run-operator.ts';
import { systemClock } from '../src/platform/clock.ts';
import { readSettings } from '../src/platform/settings/settings.ts';
import { startServer } from '../src/process/start-server.ts';
import { captureLog, registration, sendRequest } from './test-server.ts';

/** A server of an installation, with its log. */
export type Instance = Awaited<ReturnType<typeof startInstance>>;

/** A data folder with its settings, as an operator has it. */
export type Installation = ReturnType<typeof makeInstallation>;

/** Makes an installation in a temporary folder, on PGlite unless `env` names a PostgreSQL. */
export function makeInstallation(env: Readonly<Record<string, string>> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'installation-'));
  const dataDir = env['PLATFORM_DATA_DIR'] ?? join(root, 'data');
  const whole: Readonly<Record<string, string>> = {
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
    /** Runs a command line of the operator in this process. */
    operator: (...words: string[]) => operate(whole, process.getuid?.(), words),
    /** The same as another user of the system. */
    operatorAs: (uid: number, ...words: string[]) => operate(whole, uid, words),
    start: async (): Promise<Instance> => {
      if (env['DATABASE_URL'] === undefined) layEmptyDatabase(dataDir);
      const instance = await startInstance(whole, () => running.delete(instance));
      running.add(instance);
      return instance;
    },
    /** Stops what is running and removes the folder. */
    remove: async () => {
      for (const instance of running) await instance.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** What an operator command printed, and how it ended; `json` reads the output of `--json`. */
async function operate(env: Readonly<Record<string, string>>, uid: number | undefined, words: readonly string[]) {
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

async function startInstance(env: Readonly<Record<string, string>>, onStop: () => void) {
  const { log, logged } = captureLog('info');
  const server = await startServer({ settings: readSettings(env), clock: systemClock, log });
  const stop = async () => {
    onStop();
    await server.stop();
  };
  const { url, store } = server;
  // The tests break something in the database on purpose.
  return { url, logged, store, stop };
}

/** Registers an agent as any client would: the status, and the token when there is one. */
export async function register(url: string, handle: string, more: object = {}) {
  const answer = await sendRequest(url, 'POST', '/api/v1/bots/register', { body: registration(handle, more) });
  const { status, body } = answer;
  return { status, code: body['error']?.['code'], token: String(body['token'] ?? '') };
}

/** The status that a token gets for its own passport. */
export async function statusOf(url: string, token: string): Promise<number> {
  return (await sendRequest(url, 'GET', '/api/v1/bots/me', { token })).status;
}
