import { createReadStream } from 'node:fs';
import { UsageError } from '../errors/failure.ts';
import type { Io } from './io.ts';
import { readAll } from './read-all.ts';

/** A text given on the command line, in a file, or on stdin (`-`). */
export type TextSource = { readonly text: string } | { readonly file: string };

/** More than any text of the API has, so that the server's own limit is the one that speaks. */
const textMaxBytes = 1024 * 1024;

/** Chooses between an option with the text and the option with its file; the parser has refused both at once. */
export function chooseSource(text: string | undefined, file: string | undefined): TextSource | undefined {
  if (text !== undefined) return { text };
  return file === undefined ? undefined : { file };
}

/** Reads a text. One line break at the end is left out: editors put it there. */
export async function readText(source: TextSource, io: Pick<Io, 'stdin' | 'stderr'>): Promise<string> {
  if ('text' in source) return source.text;
  const text = source.file === '-' ? await readStdin(io) : await readTextOf(source.file);
  return text.replace(/\r?\n$/, '');
}

async function readStdin(io: Pick<Io, 'stdin' | 'stderr'>): Promise<string> {
  if (io.stdin.isTerminal) io.stderr.write('Reading from the terminal; end with Ctrl-D on a line of its own.\n');
  return io.stdin.readAll(textMaxBytes);
}

async function readTextOf(path: string): Promise<string> {
  try {
    // As a stream, for the limit holds for pipes and devices too, which have no size.
    return await readAll(createReadStream(path), textMaxBytes, `"${path}"`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`"${path}" cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
