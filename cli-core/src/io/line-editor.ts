import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import type { Readable } from 'node:stream';
import { Interruption } from '../errors/failure.ts';

/** The input line of a terminal. Output appears above the line. */
export class LineEditor {
  #open: { readonly lines: Interface; readonly output: NodeJS.WritableStream } | undefined;

  /** Writes output above the input line, which is then redrawn. */
  above(write: () => void): void {
    const open = this.#open;
    if (open === undefined) {
      write();
      return;
    }
    // Moves to the first row of the input line: a long line occupies several, and the cursor may be in any of them.
    const { rows } = open.lines.getCursorPos();
    moveCursor(open.output, 0, -rows);
    cursorTo(open.output, 0);
    clearScreenDown(open.output);
    write();
    // The interface would move up by the rows of the line before, which are already cleared.
    Reflect.set(open.lines, 'prevRows', 0);
    open.lines.prompt(true);
  }

  /**
   * Reads lines from a terminal until the signal aborts, or until Ctrl-D.
   *
   * @throws Interruption after Ctrl-C
   */
  async *read(
    input: Readable,
    output: NodeJS.WritableStream,
    prompt: string,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const lines = createInterface({ input, output, prompt });
    this.#open = { lines, output };
    // In raw mode, Ctrl-C is a key press, not a signal.
    let isInterrupted = false;
    lines.on('SIGINT', () => {
      isInterrupted = true;
      lines.close();
    });
    lines.prompt();
    try {
      for await (const line of untilAborted(lines, input, signal)) {
        yield line;
        lines.prompt();
      }
      if (isInterrupted) throw new Interruption();
    } finally {
      this.#open = undefined;
      cursorTo(output, 0);
      clearScreenDown(output);
    }
  }
}

export async function* readLines(input: Readable, signal: AbortSignal): AsyncGenerator<string> {
  yield* untilAborted(createInterface({ input }), input, signal);
}

async function* untilAborted(lines: Interface, input: Readable, signal: AbortSignal): AsyncGenerator<string> {
  const end = (): void => {
    lines.close();
    // An open input stream would keep the process alive.
    input.destroy();
  };
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    yield* lines;
  } finally {
    signal.removeEventListener('abort', end);
    lines.close();
  }
}
