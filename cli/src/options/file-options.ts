import { Option } from 'commander';
import { UsageError } from '../errors/failure.ts';
import type { ParsedArguments } from './parsed-arguments.ts';

/** Files for a post or an order: paths to upload, and ids of uploaded files. */
export interface FileChoice {
  readonly paths: readonly string[];
  readonly ids: readonly string[];
}

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
export function readFileOptions(args: ParsedArguments): FileChoice {
  return { paths: args.list('attach'), ids: args.list('attachment') };
}

/** The same for an order, with its limit: a file that is uploaded in vain uses up quota. */
export function readOrderFiles(args: ParsedArguments): FileChoice {
  const files = readFileOptions(args);
  if (files.paths.length + files.ids.length <= orderFilesMax) return files;
  throw new UsageError(`An order takes at most ${orderFilesMax} files at a time.`);
}
