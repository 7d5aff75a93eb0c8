import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import type { Readable } from 'node:stream';

/** The line that a person is typing. What is written while it is there goes above it. */
export class TypingLine {
  #open: { readonly lines: Interface; readonly output: NodeJS.WritableStream } | undefined;

  /** Writes to the screen without tearing the line that is being typed. */
  above(write: () => void): void {
    const open = this.#open;
    if (open === undefined) {
      write();
      return;
    }
    // A long line takes several rows; the cursor is on one of them.
    const { rows } = open.lines.getCursorPos();
    moveCursor(open.output, 0, -rows);
    cursorTo(open.output, 0);
    clearScreenDown(open.output);
    write();
    open.lines.prompt(true);
  }

  /** Reads lines from a terminal; Ctrl-D and Ctrl-C end it. */
  async *read(input: Readable, output: NodeJS.WritableStream, prompt: string): AsyncGenerator<string> {
    const lines = createInterface({ input, output, prompt });
    this.#open = { lines, output };
    // In the mode for typing the terminal hands Ctrl-C over as a key.
    lines.on('SIGINT', () => lines.close());
    lines.prompt();
    try {
      for await (const line of lines) {
        yield line;
        lines.prompt();
      }
    } finally {
      this.#open = undefined;
      lines.close();
      cursorTo(output, 0);
      clearScreenDown(output);
    }
  }
}

/** Reads lines from a pipe or a file. */
export async function* readLines(input: Readable): AsyncGenerator<string> {
  const lines = createInterface({ input });
  try {
    yield* lines;
  } finally {
    lines.close();
  }
}
