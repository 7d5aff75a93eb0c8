import { hostProcess } from './host.ts';

const waitingMax = 100;
const { AsyncLocalStorage } = hostProcess?.getBuiltinModule?.('node:async_hooks') ?? {};
// In a runtime without AsyncLocalStorage, a handler that waits for a server limit keeps its slot.
const handlerOfCall = AsyncLocalStorage && new AsyncLocalStorage<(change: 1 | -1) => void>();

/**
 * Runs up to `max` handlers at a time, plus up to 100 handlers whose calls wait for a server limit. `onChange` is
 * called when another handler may be started, or when one has failed.
 */
export function makeHandlerPool(max: number, onChange: () => void) {
  const running = new Map<Promise<void>, { waitingCalls: number }>();
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown) => {
    failure ??= { error };
  };
  return {
    hasFailed: () => failure !== undefined,
    hasRoom: () => {
      const active = [...running.values()].filter(({ waitingCalls }) => waitingCalls === 0);
      return active.length < max && running.size < max + waitingMax;
    },
    start: (handler: () => Promise<void>) => {
      const own = { waitingCalls: 0 };
      const count = (change: 1 | -1) => {
        own.waitingCalls += change;
        onChange();
      };
      const ended = (handlerOfCall?.run(count, handler) ?? handler()).catch(fail);
      running.set(ended, own);
      ended.then(() => running.delete(ended)).then(onChange);
    },
    /** Resolves when no handler is running; rejects with the first failure. */
    settle: async () => {
      await Promise.all(running.keys());
      if (failure !== undefined) throw failure.error;
    },
  };
}

/** Waits until the server accepts requests again; another handler may run during the wait. */
export async function waitForLimit(wait: () => Promise<void>): Promise<void> {
  const count = handlerOfCall?.getStore();
  count?.(1);
  await wait().finally(() => count?.(-1));
}
