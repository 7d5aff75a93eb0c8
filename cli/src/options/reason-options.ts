import { Option } from 'commander';
import { UsageError } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import { chooseSource, readText } from '../io/text-source.ts';
import type { Typed } from './parsed-arguments.ts';

/** The options that say why. */
export function declareReason(): Option[] {
  return [
    new Option('--reason <text>', 'why, in 1 to 2000 characters; the other side reads it').conflicts('reasonFile'),
    new Option('--reason-file <file>', 'the reason from a file, or from stdin (-)'),
  ];
}

/** Reads them; what it returns reads the file, if there is one. */
export function readReason(typed: Typed): (at: { readonly io: Io }) => Promise<{ readonly reason: string }> {
  const source = chooseSource(typed.text('reason'), typed.text('reason-file'));
  if (source === undefined)
    throw new UsageError('It needs a reason.', 'Give it with --reason TEXT or --reason-file FILE.');
  return async ({ io }) => ({ reason: await readText(source, io) });
}
