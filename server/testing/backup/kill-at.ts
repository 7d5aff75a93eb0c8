import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

// Loaded before a program with `--import`: kills the process before or after its nth change to a file or its nth
// statement that moves tables. KILL_UNDER is the folder of the counted files and KILL_ONLY a pattern for their paths.
// Counting starts when the file KILL_ARMED exists. KILL_LOG receives the position of the kill.

const { KILL_AT = '0', KILL_UNDER = '/', KILL_ONLY = '', KILL_ARMED, KILL_LOG = '/dev/null' } = process.env;
const only = new RegExp(KILL_ONLY);
/** Excludes changes by the embedded database and to incoming files. */
const leftOut = /\/database(\.restoring)?\/|\/files\/incoming\/?[^/]*$|^\/proc|\.lock$/;
let steps = 0;

function step(when: string, what: string, paths: readonly string[]): void {
  if (KILL_ARMED !== undefined && !fs.existsSync(KILL_ARMED)) return;
  steps += 1;
  if (steps !== Number(KILL_AT)) return;
  fs.appendFileSync(KILL_LOG, `${when} ${what} ${paths.map((path) => path.replace(KILL_UNDER, '')).join(' to ')}\n`);
  process.kill(process.pid, 'SIGKILL');
}

/** Counts the start and the end of a call; an asynchronous call ends when its promise settles. */
function countCall(what: string, paths: readonly string[], call: () => unknown): unknown {
  const end = (result: unknown) => {
    step('after', what, paths);
    return result;
  };
  step('before', what, paths);
  const result = call();
  return result instanceof Promise ? result.then(end) : end(result);
}

function countCalls(functions: object, name: string): void {
  const call = Reflect.get(functions, name) as (...args: readonly unknown[]) => unknown;
  Reflect.set(functions, name, (...args: readonly unknown[]) => {
    const paths = args.slice(0, name.startsWith('rename') ? 2 : 1).map(String);
    const isCounted = paths.some((path) => path.startsWith(KILL_UNDER) && only.test(path) && !leftOut.test(path));
    return isCounted ? countCall(name, paths, () => call(...args)) : call(...args);
  });
}

for (const name of ['rename', 'rm', 'writeFile', 'mkdir']) {
  countCalls(fs.promises, name);
  countCalls(fs, `${name}Sync`);
}
syncBuiltinESMExports();

const statement = /^Q.{4}(commit|drop (table|schema)|create schema|alter table \S+ set schema)/s;
/** Whether commits are counted. Earlier commits belong to migrations and to the journal, in tables no server uses. */
let isMoving = false;
const write = net.Socket.prototype.write;
net.Socket.prototype.write = function (this: net.Socket, ...args: Parameters<typeof write>) {
  const [, what] = statement.exec(args[0].toString()) ?? [];
  isMoving ||= what === 'drop table';
  const call = () => Reflect.apply(write, this, args);
  return what === undefined || (what === 'commit' && !isMoving) ? call() : countCall(what, [], call);
} as typeof write;
