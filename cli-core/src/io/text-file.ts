import { createReadStream } from 'node:fs';
import { messageOf, UsageError } from '../errors/failure.ts';
import type { Io } from './io.ts';
import { readAll } from './read-all.ts';

/** Reads a text when the command runs: from the command line, a file, or stdin (`-`). */
export type TextSource = (io: Pick<Io, 'stdin' | 'stderr'>) => Promise<string>;

/** Higher than every text limit of the API, so that the server's limit applies. */
const textMaxBytes = 1024 * 1024;

/** A text from a file or stdin (`-`). A single trailing line break is dropped, because editors add it. */
export function textFromFile(path: string): TextSource {
  return async (io) => {
    const text = await (path === '-' ? readStdin(io) : readFile(path));
    return text.replace(/\r?\n$/, '');
  };
}

async function readStdin(io: Pick<Io, 'stdin' | 'stderr'>): Promise<string> {
  if (io.stdin.isTerminal) io.stderr.write('Reading from the terminal; end with Ctrl-D on an empty line.\n');
  return io.stdin.readAll(textMaxBytes);
}

async function readFile(path: string): Promise<string> {
  try {
    // Reads a stream, so that the limit also applies to pipes and devices, which have no size.
    return await readAll(createReadStream(path), textMaxBytes, `"${path}"`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`"${path}" cannot be read: ${messageOf(error)}`);
  }
}
