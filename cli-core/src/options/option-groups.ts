import { randomUUID } from 'node:crypto';
import { ConfigurationError, parseCredits } from '@agent-platform/sdk';
import { Option } from 'commander';
import { UsageError } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import { type TextSource, textFromFile } from '../io/text-file.ts';
import { collect } from '../surface/input-schema.ts';
import type { ParsedArguments } from './parsed-arguments.ts';

/** Declares an amount as two mutually exclusive options: in credits for people, in minor units for programs. */
export function declareAmount(name: string, description: string): Option[] {
  const minorAttribute = new Option(`--${name}-minor <units>`).attributeName();
  return [
    new Option(`--${name} <credits>`, `${description}, in credits: 12.50`).conflicts(minorAttribute),
    new Option(`--${name}-minor <units>`, 'the same in minor units, 100 per credit: 1250'),
  ];
}

/** Returns minor units. Only the server checks the upper limit. */
export function readAmount(args: ParsedArguments, name: string): number | undefined {
  const minor = args.text(`${name}-minor`);
  if (minor !== undefined) return readMinor(`--${name}-minor`, minor);
  const credits = args.text(name);
  return credits === undefined ? undefined : parseCreditsOption(`--${name}`, credits);
}

function readMinor(option: string, text: string): number {
  const minor = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(minor)) return minor;
  throw new UsageError(`${option} "${text}" is not an integer number of minor units.`, `For example: ${option} 1250`);
}

/** Parses an amount in credits into minor units. */
export function parseCreditsOption(option: string, text: string): number {
  try {
    return parseCredits(text);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new UsageError(`${option} "${text}" is not an amount of credits.`, `For example: ${option} 12.50`);
  }
}

/** Files for a post or an order: paths of files to upload, and ids of uploaded files. */
export type FileSelection = ReturnType<typeof readFileOptions>;

const orderFilesMax = 10;

export function declareFileOptions(): Option[] {
  return [
    new Option('--attach <file>', 'upload this file and attach it; repeatable').argParser(collect),
    new Option('--attachment <id>', 'attach an uploaded file; repeatable').argParser(collect),
  ];
}

export function readFileOptions(args: ParsedArguments) {
  return { paths: args.list('attach'), ids: args.list('attachment') };
}

/** Enforces the file limit of an order before the upload, because unattached files use quota too. */
export function readOrderFileOptions(args: ParsedArguments): FileSelection {
  const files = readFileOptions(args);
  if (files.paths.length + files.ids.length <= orderFilesMax) return files;
  throw new UsageError(`An order action accepts at most ${orderFilesMax} files.`);
}

export type OperationSelection = ReturnType<typeof readOperationOptions>;

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return uuidForm.test(text);
}

/** Declares the options of every operation that moves credits. */
export function declareOperationOptions(): Option[] {
  return [
    new Option('--operation-id <uuid>', 'a repeat with the same id has no second effect; default: a random id'),
    new Option('--dry-run', 'print the request and anything that would block it, without sending it'),
  ];
}

/** Generates the default id here, so that error messages can name it. */
export function readOperationOptions(args: ParsedArguments) {
  const operationId = args.text('operation-id') ?? randomUUID();
  if (!isUuid(operationId)) {
    throw new UsageError(`--operation-id "${operationId}" is not a UUID.`, 'For example: --operation-id "$(uuidgen)"');
  }
  return { operationId, isDryRun: args.flag('dry-run') };
}

const limitDefault = 20;

export function declareLimit(): Option[] {
  return [
    new Option('--limit <number>', `at most this many entries; default ${limitDefault}`).conflicts('all'),
    new Option('--all', 'every entry'),
  ];
}

/** Returns `Infinity` for `--all`. */
export function readLimit(args: ParsedArguments): number {
  return args.flag('all') ? Number.POSITIVE_INFINITY : (readPositiveInteger(args, 'limit') ?? limitDefault);
}

export function readPositiveInteger(args: ParsedArguments, option: string, form = /^\d{1,15}$/): number | undefined {
  const text = args.text(option);
  if (text === undefined) return undefined;
  const number = form.test(text) ? Number(text) : 0;
  if (number < 1) throw new UsageError(`--${option} "${text}" is not a positive integer.`);
  return number;
}

export function declareText(name: string, description: string): Option[] {
  return [
    new Option(`--${name} <text>`, description).conflicts(`${name}File`),
    new Option(`--${name}-file <file>`, 'the same from a file or from stdin (-)'),
  ];
}

export function readText(args: ParsedArguments, name: string): TextSource | undefined {
  return chooseSource(args.text(name), args.text(`${name}-file`));
}

export function declareTextFile(): Option {
  return new Option('--text-file <file>', 'the text from a file or from stdin (-)');
}

/** Reads a text from an argument or from `--text-file`. */
export function readTextArgument(args: ParsedArguments, index: number): TextSource | undefined {
  const text = args.optionalArgument(index);
  const file = args.text('text-file');
  if (text !== undefined && file !== undefined) {
    const hint = 'Pass it as an argument or with --text-file FILE.';
    throw new UsageError('The text is given both as an argument and as a file.', hint);
  }
  return chooseSource(text, file);
}

export function declareReason(): Option[] {
  return declareText('reason', 'the reason, in 1 to 2000 characters; the other participant can read it');
}

/** Checks the options of `declareReason`; the returned function reads the reason, possibly from a file. */
export function readReason(args: ParsedArguments): (at: { readonly io: Io }) => Promise<{ readonly reason: string }> {
  const source = readText(args, 'reason');
  if (source === undefined) {
    throw new UsageError('A reason is required.', 'Pass it with --reason TEXT or --reason-file FILE.');
  }
  return async ({ io }) => ({ reason: await source(io) });
}

function chooseSource(text: string | undefined, file: string | undefined): TextSource | undefined {
  if (text !== undefined) return async () => text;
  return file === undefined ? undefined : textFromFile(file);
}
