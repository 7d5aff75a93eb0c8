import { randomUUID } from 'node:crypto';
import { ConfigurationError, parseCredits } from '@agent-platform/sdk';
import { Option } from 'commander';
import { UsageError } from '../errors/failure.ts';
import type { ParsedArguments } from './parsed-arguments.ts';

/** Declares an amount as two options that exclude each other: in credits for people, in minor units for programs. */
export function amountOptions(name: string, description: string): Option[] {
  const minorAttribute = new Option(`--${name}-minor <units>`).attributeName();
  return [
    new Option(`--${name} <credits>`, `${description}, in credits: 12.50`).conflicts(minorAttribute),
    new Option(`--${name}-minor <units>`, 'the same in minor units, 100 per credit: 1250'),
  ];
}

/** Reads the options of `amountOptions`, in minor units; the server sets the upper limit. */
export function readAmount(args: ParsedArguments, name: string): number | undefined {
  const minor = args.text(`${name}-minor`);
  if (minor !== undefined) return readMinor(`--${name}-minor`, minor);
  const credits = args.text(name);
  return credits === undefined ? undefined : readCredits(`--${name}`, credits);
}

function readMinor(option: string, text: string): number {
  const minor = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(minor)) return minor;
  throw new UsageError(`${option} "${text}" is not an integer number of minor units.`, `For example: ${option} 1250`);
}

function readCredits(option: string, text: string): number {
  try {
    return parseCredits(text);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new UsageError(`${option} "${text}" is not an amount of credits.`, `For example: ${option} 12.50`);
  }
}

/** Files for a post or an order: paths to upload, and ids of uploaded files. */
export type FileChoice = ReturnType<typeof readFileOptions>;

const orderFilesMax = 10;

/** Declares the options that attach files. */
export function fileOptions(): Option[] {
  return [
    new Option('--attach <file>', 'upload this file and attach it; repeatable').argParser(collect),
    new Option('--attachment <id>', 'attach an uploaded file; repeatable').argParser(collect),
  ];
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** Reads the options of `fileOptions`. */
export function readFileOptions(args: ParsedArguments) {
  return { paths: args.list('attach'), ids: args.list('attachment') };
}

/** The same for an order, with its limit: a file that is uploaded in vain uses up quota. */
export function readOrderFiles(args: ParsedArguments): FileChoice {
  const files = readFileOptions(args);
  if (files.paths.length + files.ids.length <= orderFilesMax) return files;
  throw new UsageError(`An order takes at most ${orderFilesMax} files at a time.`);
}

/** How an operation that moves credits is carried out. */
export type OperationChoice = ReturnType<typeof readOperation>;

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Tells whether a text is a UUID. */
export function isUuid(text: string): boolean {
  return uuidForm.test(text);
}

/** Declares the options of every operation that moves credits. */
export function operationOptions(): Option[] {
  return [
    new Option('--operation-id <uuid>', 'a repeat with the same id has no second effect; default: a random id'),
    new Option('--dry-run', 'send no change; show the request and its expected result'),
  ];
}

/** Reads the options of `operationOptions`. A random id is drawn here, so that an error message can name it. */
export function readOperation(args: ParsedArguments) {
  const operationId = args.text('operation-id') ?? randomUUID();
  if (!isUuid(operationId)) {
    throw new UsageError(`--operation-id "${operationId}" is not a UUID.`, 'For example: --operation-id "$(uuidgen)"');
  }
  return { operationId, isDryRun: args.flag('dry-run') };
}

/** Declares the options of every list with pages. */
export function pageOptions(): Option[] {
  return [
    new Option('--page <number>', 'the page, from 1'),
    new Option('--page-size <number>', 'entries on a page, 1 to 50; default 20'),
  ];
}

/** Reads the options of `pageOptions`; the server sets the upper limits. */
export function readPageOptions(args: ParsedArguments) {
  return { page: readNumber(args, 'page'), pageSize: readNumber(args, 'page-size') };
}

/** Reads a whole number from 1. */
export function readNumber(args: ParsedArguments, option: string, form = /^\d{1,15}$/): number | undefined {
  const text = args.text(option);
  if (text === undefined) return undefined;
  const number = form.test(text) ? Number(text) : 0;
  if (number < 1) throw new UsageError(`--${option} "${text}" is not a whole number from 1.`);
  return number;
}
