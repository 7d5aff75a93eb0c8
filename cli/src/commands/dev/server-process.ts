import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { hasSystemErrorCode } from '@agent-platform/cli-core/credentials/files';
import { exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
import { CommandError } from '@agent-platform/cli-core/errors/failure';
import { version } from '@agent-platform/cli-core/version';

export interface DevServer {
  /** Resolves to the address once the server listens; rejects if it does not start. */
  readonly url: Promise<string>;
  grant(handle: string, amountMinor: number): Promise<void>;
  /** Rejects if the server exits unexpectedly. */
  readonly ended: Promise<never>;
  /** Stops the server, by force after `withinMs`; resolves when its process has ended. */
  stop(withinMs?: number): Promise<void>;
}

/** These limits are disabled, so that newcomers do not reach them. */
export const disabledLimits = [
  'PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR',
  'PLATFORM_REGISTRATIONS_PER_HOUR',
  'PLATFORM_WRITES_PER_MINUTE',
  'PLATFORM_CONTACT_REQUESTS_PER_MINUTE',
  'PLATFORM_MESSAGES_PER_MINUTE',
  'PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE',
  'PLATFORM_EVENT_CONNECTIONS_PER_AGENT',
  'PLATFORM_EVENT_CONNECTIONS_PER_ADDRESS',
  'PLATFORM_EVENT_CONNECTIONS',
];

export const disabledLimitsText = 'registrations, requests, writes, contact requests, messages, event connections';

/** The server gets no other variables of this process, so that it does not use the DATABASE_URL of a real server. */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'NODE_COMPILE_CACHE'];

const host = '127.0.0.1';
const logHint = 'Start another one: agentp dev';
const stopWithinMs = 10_000;

export function dataFolderOf(folder: string): string {
  return join(folder, 'server');
}

export function logFileOf(folder: string): string {
  return join(folder, 'server.log');
}

/**
 * Starts the server in a separate process, with its data in a temporary folder. That process removes the folder when
 * it ends, even if this process is killed. `cache` is a folder where compiled code and an empty database are
 * stored for the next run.
 */
export function startDevServer(entry: string, folder: string, port: number, cache?: string): DevServer {
  const data = dataFolderOf(folder);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const log = openSync(logFileOf(folder), 'a', 0o600);
  const program = createRequire(import.meta.url).resolve('@agent-platform/cli/dev-server');
  const kept = cache === undefined ? {} : { NODE_COMPILE_CACHE: cache };
  const emptyDatabase = cache === undefined ? '' : join(cache, `empty-database-${version}`);
  const child = fork(program, [entry, folder, emptyDatabase], {
    env: { ...kept, ...makeServerEnvironment(process.env), PORT: String(port), HOST: host, PLATFORM_DATA_DIR: data },
    execArgv: [],
    cwd: '/',
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const ended = once(child, 'exit').then(([code, signal]): never => {
    throw new CommandError(exitCodes.unexpected, 'server_ended', `The server has ended (${signal ?? code}).`, logHint);
  });
  const url = Promise.race([answerOf(child), ended]).then((answer) => String(answer['url']));
  // The caller awaits both promises; these catches only prevent unhandled rejections.
  for (const promise of [ended, url]) promise.catch(() => undefined);
  return {
    url,
    grant: async (handle, amountMinor) => {
      child.send(['credits', 'grant', handle, String(amountMinor)]);
      const { exitCode, message } = await Promise.race([answerOf(child), ended]);
      if (exitCode !== 0) throw new Error(String(message));
    },
    ended,
    stop: (withinMs = stopWithinMs) => stop(child, withinMs),
  };
}

export function makeServerEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = inherited.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  return { ...Object.fromEntries(kept), ...Object.fromEntries(disabledLimits.map((name) => [name, '0'])) };
}

async function answerOf(child: ChildProcess): Promise<Readonly<Record<string, unknown>>> {
  const [answer] = await once(child, 'message');
  if (answer.failure === undefined) return answer;
  if (answer.code === 'EADDRINUSE') throw makePortInUseFailure(`The port is in use: ${answer.failure}`);
  throw new CommandError(
    exitCodes.unexpected,
    'server_not_started',
    `The server could not start: ${answer['failure']}`,
    'Try again, or choose another port: agentp dev --port 9000',
  );
}

export function makePortInUseFailure(message: string): CommandError {
  const hint = 'Choose another port, or omit --port to use a free one: agentp dev';
  return new CommandError(exitCodes.unexpected, 'port_in_use', message, hint);
}

/**
 * Waits until a server listens on the port passed to `start`. If another program takes the port in the meantime, a
 * free one is used unless the user chose the port.
 */
export async function startOnPort(
  start: (port: number) => DevServer,
  { port, isNamed }: { readonly port: number; readonly isNamed: boolean },
  tell: (text: string) => void,
): Promise<{ readonly running: DevServer; readonly url: string }> {
  const server = start(port);
  try {
    return { running: server, url: await server.url };
  } catch (error) {
    const isTaken = error instanceof CommandError && error.code === 'port_in_use';
    if (!isTaken || isNamed) throw error;
    tell(`Port ${port} is now in use; using a free one.`);
    // Waits, because an ending server removes the folder, and the next server uses the same folder.
    await server.stop();
    const other = start(0);
    return { running: other, url: await other.url };
  }
}

async function stop(child: ChildProcess, withinMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  if (child.connected) child.disconnect();
  const force = setTimeout(() => child.kill('SIGKILL'), withinMs);
  await exit;
  clearTimeout(force);
}

export async function isPortFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    await once(probe.listen(port, host), 'listening');
  } catch (error) {
    if (hasSystemErrorCode(error, 'EADDRINUSE', 'EACCES')) return false;
    throw error;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
