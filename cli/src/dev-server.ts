import { rmSync } from 'node:fs';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

// The program that `agentp dev` starts, with the entry file of the server package
// and the folder to remove as its arguments. The channel to its parent is the
// life line: when the parent ends in any way, also killed, the server stops and
// the folder goes.

/** The part of `@agent-platform/server` that is used here. The package is optional, so it is not imported by its name. */
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
const [entry = '', folder = ''] = process.argv.slice(2);
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
  const log = server.makeLogger('info', { stream: process.stdout, isTerminal: false });
  const settings = server.readSettings(process.env);
  running = await server.startServer({ settings, clock: server.systemClock, log });
  if (isEnding) return process.exit(0);
  process.on('message', async (words: readonly string[]) => {
    let message = '';
    const exitCode = await server.runOperator(words, {
      env: process.env,
      nodeVersion: process.version,
      uid: process.getuid?.(),
      clock: server.systemClock,
      out: () => undefined,
      err: (text: string) => (message += text),
      errorStream: process.stderr,
    });
    send({ exitCode, message });
  });
  send({ url: running.url });
}

process.umask(0o077);
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
process.once('disconnect', end);
process.once('SIGTERM', end);
// A terminal sends these to the parent as well, which decides.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
// The channel may have closed before this program listened to it.
if (!process.connected) process.exit(0);
main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  const failure = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  process.send?.({ failure, code }, () => process.exit(1));
});
