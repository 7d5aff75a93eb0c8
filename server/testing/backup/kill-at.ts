import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import process from 'node:process';

// Loaded before a program (`--import`): kills its process before or after the nth change of a file, or before or after
// the nth statement that moves tables. KILL_UNDER is the folder whose files count, KILL_ONLY an expression for their
// paths, KILL_ARMED a file without which nothing counts; the place is written to KILL_LOG.

const { KILL_AT = '0', KILL_UNDER = '/', KILL_ONLY = '', KILL_ARMED, KILL_LOG = '/dev/null' } = process.env;
const only = new RegExp(KILL_ONLY);
/** Not counted: what the embedded database does by itself, and files on their way in. */
const leftOut = /\/database(\.restoring)?\/|\/files\/incoming\/?[^/]*$|^\/proc|\.lock$/;
let steps = 0;

function step(when: string, what: string, paths: readonly string[]): void {
  if (KILL_ARMED !== undefined && !fs.existsSync(KILL_ARMED)) return;
  steps += 1;
  if (steps !== Number(KILL_AT)) return;
  fs.appendFileSync(KILL_LOG, `${when} ${what} ${paths.map((path) => path.replace(KILL_UNDER, '')).join(' to ')}\n`);
  process.kill(process.pid, 'SIGKILL');
}

const changes = ['rename', 'rm', 'writeFile', 'mkdir'] as const;

function isCounted(paths: readonly string[]): boolean {
  return paths.some((path) => path.startsWith(KILL_UNDER) && only.test(path) && !leftOut.test(path));
}

for (const name of changes) {
  const call = Reflect.get(fs.promises, name) as (...args: readonly unknown[]) => Promise<unknown>;
  Reflect.set(fs.promises, name, async (...args: readonly unknown[]) => {
    const paths = args.slice(0, name === 'rename' ? 2 : 1).map(String);
    if (!isCounted(paths)) return await call(...args);
    step('before', name, paths);
    const result = await call(...args);
    step('after', name, paths);
    return result;
  });
  const callSync = Reflect.get(fs, `${name}Sync`) as (...args: readonly unknown[]) => unknown;
  Reflect.set(fs, `${name}Sync`, (...args: readonly unknown[]) => {
    const paths = args.slice(0, name === 'rename' ? 2 : 1).map(String);
    if (!isCounted(paths)) return callSync(...args);
    step('before', `${name}Sync`, paths);
    const result = callSync(...args);
    step('after', `${name}Sync`, paths);
    return result;
  });
}
syncBuiltinESMExports();

const statement = /^Q.{4}(commit|drop (table|schema)|create schema|alter table \S+ set schema)/s;
/** The commits before are those of migrations and of the journal, in tables that no server sees. */
let isMoving = false;
const write = net.Socket.prototype.write;
net.Socket.prototype.write = function (this: net.Socket, ...args: Parameters<typeof write>) {
  const [, what] = statement.exec(args[0].toString()) ?? [];
  isMoving ||= what === 'drop table';
  if (what === undefined || (what === 'commit' && !isMoving)) return Reflect.apply(write, this, args);
  step('before', what, []);
  const result = Reflect.apply(write, this, args);
  step('after', what, []);
  return result;
} as typeof write;
