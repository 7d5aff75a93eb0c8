import { readFileSync } from 'node:fs';

// Loaded before a server with `--import`: moves the machine clock of its process by the milliseconds in the file
// CHAOS_CLOCK, which is read repeatedly.

const file = process.env['CHAOS_CLOCK'] ?? '';
const readEveryMs = 100;
const { now } = Date;
let wrongByMs = 0;

setInterval(() => {
  try {
    wrongByMs = Number(readFileSync(file, 'utf8'));
  } catch {
    wrongByMs = 0;
  }
}, readEveryMs).unref();

const moved = () => now() + wrongByMs;

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [moved()] : args, newTarget),
  get: (target, name) => (name === 'now' ? moved : Reflect.get(target, name)),
});
