import type { RunListener } from './suite/suite.ts';

export interface ProgressScreen {
  /** The width in characters; undefined if the output is not a terminal. */
  readonly columns: number | undefined;
  write(text: string): void;
  /** Returns milliseconds since any fixed time. */
  now(): number;
}

const plainEveryMs = 5_000;
/** Shorter waits are not logged. */
const waitMinMs = 10_000;
const clearLine = '\r\u001b[2K';

/** Shows progress: one changing line on a terminal, otherwise a plain line from time to time. */
export interface Progress extends RunListener {
  /** Clears the progress line. */
  end(): void;
}

export function showProgress({ columns, write, now }: ProgressScreen): Progress {
  let toldAt = now();
  let isOpen = false;
  let current = '';
  // The line is truncated, because a wrapped line could not be cleared.
  const show = (line: string) => {
    write(`${clearLine}${line.slice(0, columns)}`);
    isOpen = true;
  };
  const clear = () => {
    if (isOpen) write(clearLine);
    isOpen = false;
  };
  return {
    log: (line) => {
      clear();
      write(`${line}\n`);
    },
    step: (at, of, what) => {
      current = `[${at}/${of}] ${what}`;
      if (columns !== undefined) show(current);
      else if (now() - toldAt >= plainEveryMs) {
        write(`${current}\n`);
        toldAt = now();
      }
    },
    wait: (ms) => {
      const seconds = Math.ceil(ms / 1_000);
      if (columns !== undefined)
        show(`${current.split(' ')[0]} waiting ${seconds} s to keep the pace (--no-pace disables this)`);
      else if (ms > waitMinMs) write(`waiting ${seconds} s to keep the pace (--no-pace disables this)\n`);
    },
    end: clear,
  };
}
