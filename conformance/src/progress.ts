import type { Watch } from './suite/suite.ts';

/** Where progress is shown. */
export interface ProgressScreen {
  readonly isTerminal: boolean;
  write(text: string): void;
  /** In milliseconds, from any beginning. */
  now(): number;
}

const plainEveryMs = 5_000;
const clearLine = '\r\u001b[2K';

/** Progress for people: on a terminal one line that changes, elsewhere now and then a plain one. */
export interface Progress extends Watch {
  /** Leaves the screen to what comes next. */
  end(): void;
}

/** Begins to show progress. */
export function showProgress({ isTerminal, write, now }: ProgressScreen): Progress {
  let toldAt = now();
  let isOpen = false;
  const clear = () => {
    if (isOpen) write(clearLine);
    isOpen = false;
  };
  return {
    say: (line) => {
      clear();
      write(`${line}\n`);
    },
    step: (at, of, what) => {
      const line = `[${at}/${of}] ${what}`;
      if (isTerminal) {
        write(`${clearLine}${line}`);
        isOpen = true;
      } else if (now() - toldAt >= plainEveryMs) {
        write(`${line}\n`);
        toldAt = now();
      }
    },
    end: clear,
  };
}
