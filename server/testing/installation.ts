import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { copyEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { copyTemplateDatabase } from '@agent-platform/testing/template-database';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { runOperator } from '../src/operator/run-operator.ts';
import { type Clock, systemClock } from '../src/platform/clock.ts';
import { readSettings } from '../src/platform/settings/settings.ts';
import { startServer } from '../src/process/start-server.ts';
import { captureLog, makeRegistration, sendRequest } from './test-server.ts';

export type Instance = Awaited<ReturnType<typeof startInstance>>;

export type Installation = ReturnType<typeof makeInstallation>;

/** Uses PGlite unless `env` contains a database address. */
export function makeInstallation(env: Readonly<Record<string, string>> = {}, clock: Clock = systemClock) {
  const root = makeTestFolder();
  const dataDir = env['PLATFORM_DATA_DIR'] ?? join(root, 'data');
  const whole: Readonly<Record<string, string>> = {
    PORT: '0',
    PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
    PLATFORM_REGISTRATIONS_PER_HOUR: '0',
    ...env,
    PLATFORM_DATA_DIR: dataDir,
  };
  const running = new Set<Instance>();
  const stop = async () => {
    for (const instance of running) await instance.stop();
  };
  return {
    env: whole,
    dataDir,
    /** Runs an operator command in this process. */
    operator: (...words: string[]) => operate(whole, process.getuid?.(), words, clock),
    /** Runs an operator command as another system user. */
    operatorAs: (uid: number, ...words: string[]) => operate(whole, uid, words, clock),
    start: async (): Promise<Instance> => {
      if (env['DATABASE_URL'] === undefined) copyEmptyDatabase(dataDir);
      const instance = await startInstance(whole, clock, () => running.delete(instance));
      running.add(instance);
      return instance;
    },
    stop,
  };
}

/** The installations share an empty PostgreSQL database, but each has a separate data folder. */
export async function makeInstallationsSharingDatabase() {
  const { environment, drop } = await copyTemplateDatabase();
  const made: Installation[] = [];
  return {
    install: (env: Readonly<Record<string, string>> = {}, clock: Clock = systemClock): Installation => {
      const installation = makeInstallation({ ...environment, ...env }, clock);
      made.push(installation);
      return installation;
    },
    remove: async () => {
      for (const installation of made) await installation.stop();
      await drop();
    },
  };
}

/** Returns the output and exit code; `json` parses the output of `--json`. */
async function operate(
  env: Readonly<Record<string, string>>,
  uid: number | undefined,
  words: readonly string[],
  clock: Clock,
) {
  let out = '';
  let err = '';
  const exitCode = await runOperator(words, {
    env,
    nodeVersion: 'v24.0.0',
    uid,
    clock,
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

async function startInstance(env: Readonly<Record<string, string>>, clock: Clock, onStop: () => void) {
  const { log, logged } = captureLog('info');
  const server = await startServer({ settings: readSettings(env), clock, log });
  const stop = async () => {
    onStop();
    await server.stop();
  };
  const { url, metricsUrl, store } = server;
  // `store` is for tests that damage the database on purpose.
  return { url, metricsUrl, logged, store, stop };
}

/** Returns the response status, the error code if the registration failed, and the token. */
export async function register(url: string, handle: string, more: object = {}) {
  const answer = await sendRequest(url, 'POST', '/api/v1/bots/register', { body: makeRegistration(handle, more) });
  const { status, body } = answer;
  return { status, code: body['error']?.['code'], token: String(body['token'] ?? '') };
}

/** Returns the status of the response to reading the agent's own passport. */
export async function readPassportStatus(url: string, token: string): Promise<number> {
  return (await sendRequest(url, 'GET', '/api/v1/bots/me', { token })).status;
}
