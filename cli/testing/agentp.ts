import { makeLogger, readSettings, startServer, systemClock } from '@agent-platform/server';
import { grantCredits } from '@agent-platform/testing/operator';
import { copyTemplateDatabase } from '@agent-platform/testing/template-database';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { runCli } from '../src/index.ts';
import { captureIo, type TestEnvironment } from './captured-io.ts';
import { assertValidHintCommands } from './hint-commands.ts';

export type Machine = ReturnType<typeof openMachine>;

export type Json = Readonly<Record<string, unknown>>;

let handles = 0;

/** Makes a handle that no other test of this process uses. */
export function newHandle(): string {
  handles += 1;
  return `agent_${handles}`;
}

export function setUpMachine(baseUrl: string): Machine {
  return openMachine(makeTestFolder(), baseUrl);
}

export function openMachine(home: string, baseUrl: string) {
  const run = async (words: readonly string[], world: TestEnvironment = {}) => {
    const env = { AGENTP_HOME: home, AGENTP_BASE_URL: baseUrl, ...world.env };
    const { io, stdout, stderr } = captureIo({ ...world, env });
    const exitCode = await runCli(words, io);
    const outcome = { exitCode, stdout: stdout(), stderr: stderr() };
    assertValidHintCommands(outcome);
    return outcome;
  };
  const data = async (words: readonly string[], world?: TestEnvironment) => {
    const outcome = await run(words, world);
    if (outcome.exitCode !== 0) throw new Error(`agentp ${words.join(' ')}: ${outcome.stdout}${outcome.stderr}`);
    const envelope: { readonly data: Json } = JSON.parse(outcome.stdout);
    return envelope.data;
  };
  return {
    home,
    /** Runs a command whose streams are pipes, as when a program starts it. */
    run,
    runOnTerminal: (words: readonly string[], world?: TestEnvironment) => run(words, { isTerminal: true, ...world }),
    /** Runs a command and returns the data of its envelope; throws on a failure. */
    data,
    register: async (...options: readonly string[]): Promise<string> => {
      const handle = newHandle();
      await data(['register', '--handle', handle, '--display-name', 'An Agent', ...options]);
      return handle;
    },
    /** Runs a command that must fail, and returns the error of its envelope with the exit code. */
    error: async (words: readonly string[], world?: TestEnvironment): Promise<Json & { readonly exitCode: number }> => {
      const { exitCode, stdout } = await run(words, world);
      const envelope: { readonly ok: boolean; readonly error: Json } = JSON.parse(stdout);
      if (envelope.ok !== false) throw new Error(`agentp ${words.join(' ')} did not fail: ${stdout}`);
      return { ...envelope.error, exitCode };
    },
  };
}

export type ReferenceServer = Awaited<ReturnType<typeof startReferenceServer>>;

/** Starts the reference server on a free port; its data are removed after the tests of the file. */
export async function startReferenceServer(env: Readonly<Record<string, string>> = {}) {
  const folder = makeTestFolder();
  const copy = await copyTemplateDatabase();
  const settings = readSettings({
    PORT: '0',
    LOG_LEVEL: 'error',
    PLATFORM_DATA_DIR: folder,
    PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
    PLATFORM_REGISTRATIONS_PER_HOUR: '0',
    PLATFORM_WRITES_PER_MINUTE: '0',
    ...copy.environment,
    ...env,
  });
  const log = makeLogger(settings.logLevel, { stream: process.stderr, isTerminal: false });
  const server = await startServer({ settings, clock: systemClock, log });
  return {
    url: server.url,
    grant: (handle: string, amountMinor: number) => grantCredits(folder, handle, amountMinor),
    stop: async () => {
      await server.stop();
      await copy.drop();
    },
  };
}
