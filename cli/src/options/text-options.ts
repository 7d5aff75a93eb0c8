import { createReadStream } from 'node:fs';
import { Option } from 'commander';
import { messageOf, UsageError } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import { readAll } from '../io/read-all.ts';
import type { ParsedArguments } from './parsed-arguments.ts';

/** Reads a text at the start of the work: from the command line, from a file, or from stdin (`-`). */
export type TextSource = (io: Pick<Io, 'stdin' | 'stderr'>) => Promise<string>;

/** Above every limit of the API, so that the limit of the server is the one that counts. */
const textMaxBytes = 1024 * 1024;

/** Declares an option for a text, and one for a file with the text. */
export function textOptions(name: string, description: string): Option[] {
  return [
    new Option(`--${name} <text>`, description).conflicts(`${name}File`),
    new Option(`--${name}-file <file>`, 'the same from a file or from stdin (-)'),
  ];
}

/** Reads the options of `textOptions`. */
export function readTextOptions(args: ParsedArguments, name: string): TextSource | undefined {
  return chooseSource(args.text(name), args.text(`${name}-file`));
}

/** Declares the file of a text that may also be an argument. */
export function textFileOption(): Option {
  return new Option('--text-file <file>', 'the text from a file or from stdin (-)');
}

/** Reads a text that is an argument, or comes from `--text-file`. */
export function readTextArgument(args: ParsedArguments, index: number): TextSource | undefined {
  const text = args.optionalArgument(index);
  const file = args.text('text-file');
  if (text !== undefined && file !== undefined) {
    const hint = 'Pass it as an argument or with --text-file FILE.';
    throw new UsageError('The text is given both as an argument and as a file.', hint);
  }
  return chooseSource(text, file);
}

/** Declares the options for a reason. */
export function reasonOptions(): Option[] {
  return textOptions('reason', 'the reason, in 1 to 2000 characters; the other participant can read it');
}

/** Reads the reason; its file is read when the work starts. */
export function readReason(args: ParsedArguments): (at: { readonly io: Io }) => Promise<{ readonly reason: string }> {
  const source = readTextOptions(args, 'reason');
  if (source === undefined) {
    throw new UsageError('A reason is required.', 'Pass it with --reason TEXT or --reason-file FILE.');
  }
  return async ({ io }) => ({ reason: await source(io) });
}

function chooseSource(text: string | undefined, file: string | undefined): TextSource | undefined {
  if (text !== undefined) return async () => text;
  return file === undefined ? undefined : textFile(file);
}

/** A text in a file, or on stdin (`-`). One line break at the end is dropped: editors add it. */
export function textFile(path: string): TextSource {
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
    // As a stream: the limit also holds for pipes and devices, which have no size.
    return await readAll(createReadStream(path), textMaxBytes, `"${path}"`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`"${path}" cannot be read: ${messageOf(error)}`);
  }
}
