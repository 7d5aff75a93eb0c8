import { constants, cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

// The program that `agentp dev` starts; its arguments are the entry file of the server package, the folder to remove,
// and the path of an empty database. It watches the channel to its parent: when the parent ends for any reason, even if
// it is killed, the server stops and the folder is removed.

/** The part of `@agent-platform/server` that is used here. The package is optional, so it is not imported by name. */
interface ServerPackage {
  readonly readSettings: (env: NodeJS.ProcessEnv) => object;
  readonly makeLogger: (level: string, target: { stream: NodeJS.WritableStream; isTerminal: boolean }) => object;
  readonly systemClock: () => Date;
  readonly startServer: (parts: { settings: object; clock: () => Date; log: object }) => Promise<RunningServer>;
  readonly runOperator: (argv: readonly string[], own: object) => Promise<number>;
}

interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

const stopWithinMs = 9_000;
const [entry = '', folder = '', emptyDatabase = ''] = process.argv.slice(2);
let running: RunningServer | undefined;
let isEnding = false;

async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  setTimeout(() => process.exit(1), stopWithinMs).unref();
  await running?.stop();
  process.exit(0);
}

function send(message: object): void {
  if (process.connected) process.send?.(message);
}

async function main(): Promise<void> {
  const server: ServerPackage = await import(pathToFileURL(entry).href);
  // If the copy fails, the server creates its own database.
  await layEmptyDatabase(server).catch((error: unknown) => process.stderr.write(`No empty database: ${error}\n`));
  const log = server.makeLogger('info', { stream: process.stdout, isTerminal: false });
  const settings = server.readSettings(process.env);
  running = await server.startServer({ settings, clock: server.systemClock, log });
  if (isEnding) return process.exit(0);
  process.on('message', async (words: readonly string[]) => {
    send(await operate(server, words, process.env));
  });
  send({ url: running.url });
}

/** Copies the empty database that an earlier run cached; if there is none, creates one, which takes seconds. */
async function layEmptyDatabase(server: ServerPackage): Promise<void> {
  if (emptyDatabase === '') return;
  if (!existsSync(emptyDatabase)) {
    const making = mkdtempSync(`${emptyDatabase}-`);
    process.once('exit', () => rmSync(making, { recursive: true, force: true }));
    const { exitCode, message } = await operate(server, ['migrate'], { ...process.env, PLATFORM_DATA_DIR: making });
    if (exitCode !== 0) throw new Error(message);
    renameSync(join(making, 'database'), emptyDatabase);
  }
  const data = join(String(process.env['PLATFORM_DATA_DIR']), 'database');
  cpSync(emptyDatabase, data, { recursive: true, mode: constants.COPYFILE_FICLONE });
}

async function operate(server: ServerPackage, words: readonly string[], env: NodeJS.ProcessEnv) {
  let message = '';
  const exitCode = await server.runOperator(words, {
    env,
    nodeVersion: process.version,
    uid: process.getuid?.(),
    clock: server.systemClock,
    out: () => undefined,
    err: (text: string) => (message += text),
    errorStream: process.stderr,
  });
  return { exitCode, message };
}

process.umask(0o077);
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
process.once('disconnect', end);
process.once('SIGTERM', end);
// Ignores these signals: a terminal also sends them to the parent, which decides whether to stop.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
// The channel may have closed before this program listened to it.
if (!process.connected) process.exit(0);
main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  const failure = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  process.send?.({ failure, code }, () => process.exit(1));
});
