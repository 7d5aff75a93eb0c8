import { afterEach, expect, it, vi } from 'vitest';
import { makeLogger } from '../platform/logger.ts';
import { stopOnSignals } from './stop-on-signals.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  process.removeAllListeners('SIGTERM').removeAllListeners('SIGINT').removeAllListeners('SIGHUP');
});

it('kills the process if its stop hangs, and names the component that it waits for', async () => {
  vi.useFakeTimers();
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const stop = (began: (part: string) => void = () => undefined) => {
    began('retention');
    return new Promise<void>(() => undefined);
  };
  stopOnSignals(
    { stop, drain: () => undefined },
    0,
    makeLogger('info', { stream, isTerminal: false }),
    () => undefined,
  );
  process.emit('SIGTERM');
  await vi.advanceTimersByTimeAsync(9_400);
  expect(kill).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(100);
  expect(kill).toHaveBeenCalledWith(process.pid, 'SIGKILL');
  expect(lines.join('')).toContain('"waitsFor":"retention"');
});
