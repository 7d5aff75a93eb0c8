import { setTimeout as delay } from 'node:timers/promises';

/** The tool calls in progress. Their outcomes must be stored before the process ends. */
export class RunningCalls {
  readonly #calls = new Set<Promise<unknown>>();

  add<T>(call: Promise<T>): Promise<T> {
    this.#calls.add(call);
    const remove = () => this.#calls.delete(call);
    call.then(remove, remove);
    return call;
  }

  async ended(limitMs: number): Promise<void> {
    const limit = new AbortController();
    const all = Promise.allSettled(this.#calls).then(() => limit.abort());
    await Promise.race([all, delay(limitMs, undefined, { signal: limit.signal }).catch(() => undefined)]);
  }
}
