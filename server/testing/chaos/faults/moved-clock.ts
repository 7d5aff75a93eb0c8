import { readFileSync } from 'node:fs';

// Loaded before a server (`--import`): moves its machine clock by the milliseconds in the file named by CHAOS_CLOCK,
// which is reread continuously.

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
