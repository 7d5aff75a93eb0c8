import { UsageError } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import { textFromFile } from '../io/text-file.ts';
import type { InputSchema } from '../surface/input-schema.ts';
import { findCommand } from './find-command.ts';

type InputProperty = InputSchema['properties'][string];

const scalars = ['string', 'number'];

/**
 * Replaces `--input FILE` with the options and arguments in its JSON object. Options on the command line come after
 * those of the object, and take precedence.
 *
 * @throws UsageError
 */
export async function expandInput(
  argv: readonly string[],
  io: Pick<Io, 'stdin' | 'stderr'>,
): Promise<readonly string[]> {
  const { source, words } = takeInput(argv);
  if (source === undefined) return argv;
  const { described, path, operands } = findCommand(words);
  // The parser will report the unknown command.
  if (described === undefined) return words;
  const { options, given } = toWords(parseObject(await textFromFile(source)(io)), described.in);
  if (given.length > 0 && operands > 0) {
    throw new UsageError('Arguments are both in the input and on the command line.', 'Pass all of them in one place.');
  }
  const typed = withoutPath(words, path);
  return [...path, ...options, ...typed, ...(given.length === 0 ? [] : ['--', ...given])];
}

function takeInput(argv: readonly string[]) {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const at = argv.findIndex((word, index) => index < end && /^--input(=|$)/.test(word));
  if (at < 0) return { source: undefined, words: argv };
  const [, attached] = /^--input=(.*)$/s.exec(argv[at] ?? '') ?? [];
  const source = attached ?? argv[at + 1];
  if (source === undefined) throw new UsageError("Option '--input <file>' argument missing");
  return { source, words: argv.toSpliced(at, attached === undefined ? 2 : 1) };
}

function withoutPath(words: readonly string[], path: readonly string[]): readonly string[] {
  const left = [...words];
  for (const name of path) left.splice(left.indexOf(name), 1);
  return left;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value = tryParse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value));
  throw new UsageError('The input is not a JSON object.', 'See its schema: add --input-schema');
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toWords(input: Readonly<Record<string, unknown>>, { properties }: InputSchema) {
  const unknown = Object.keys(input).find((name) => properties[name] === undefined);
  if (unknown !== undefined) {
    const names = Object.keys(properties).join(', ') || 'none';
    throw new UsageError(`The input has an unknown member "${unknown}".`, `Members: ${names}`);
  }
  const options: string[] = [];
  const given: string[] = [];
  let absent: string | undefined;
  for (const [name, property] of Object.entries(properties)) {
    const value = input[name];
    if (property['x-usage'].startsWith('-')) {
      options.push(...toOptions(name, property, value));
    } else if (value === undefined) {
      absent ??= name;
    } else if (absent !== undefined) {
      throw new UsageError(`The input has "${name}" without "${absent}", which precedes it.`);
    } else {
      given.push(readScalar(name, value));
    }
  }
  return { options, given };
}

function toOptions(name: string, { type }: InputProperty, value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (type === 'boolean') {
    if (typeof value === 'boolean') return value ? [`--${name}`] : [];
    throw new UsageError(`"${name}" of the input is not true or false.`);
  }
  if (type !== 'array') return [`--${name}=${readScalar(name, value)}`];
  if (Array.isArray(value)) return value.map((entry) => `--${name}=${readScalar(name, entry)}`);
  throw new UsageError(`"${name}" of the input is not a list.`);
}

function readScalar(name: string, value: unknown): string {
  if (scalars.includes(typeof value)) return String(value);
  throw new UsageError(`"${name}" of the input is not a text or a number.`);
}
