/** Wakes waiting loops when there is work, so that they need not wait for their next poll. */
export class Wakeup {
  readonly #waiting = new Set<() => void>();

  wake(): void {
    for (const end of [...this.#waiting]) end();
  }

  /** Waits for a wake-up, an abort or a timeout; never rejects. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      this.#waiting.add(end);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
    });
  }
}
