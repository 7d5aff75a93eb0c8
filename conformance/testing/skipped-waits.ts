import type { RunListener } from '@agent-platform/conformance';
import { openLiveWorld } from '../src/world/live-world.ts';
import type { RunWorld } from '../src/world/world.ts';

/** Runs `work` in a world whose clock skips waits for rate limits; a run announces each of them with `wait`. */
export function skipWaits<T>(work: (watch: RunListener, world: RunWorld) => Promise<T>): Promise<T> {
  const live = openLiveWorld();
  let aheadMs = 0;
  let isPacing = false;
  const wait = () => {
    isPacing = true;
  };
  const open: RunWorld['open'] = (kind, input, start, hear) => {
    if (kind !== 'timer' || !isPacing) return live.open(kind, input, start, hear);
    isPacing = false;
    aheadMs += Number(input);
    setImmediate(hear, null as never);
    return { send: () => undefined, close: () => undefined };
  };
  return work(
    { wait, log: () => undefined, step: () => undefined },
    { ...live, now: () => live.now() + aheadMs, open },
  );
}
