import { Option } from 'commander';
import { UsageError } from '../errors/failure.ts';
import type { ParsedArguments } from './parsed-arguments.ts';

/** The page of a list that the user asks for. */
export interface PageChoice {
  readonly page: number | undefined;
  readonly pageSize: number | undefined;
}

/** Declares the options of every list with pages. */
export function pageOptions(): Option[] {
  return [
    new Option('--page <number>', 'the page, from 1'),
    new Option('--page-size <number>', 'entries on a page, 1 to 50; default 20'),
  ];
}

/** Reads the options of `pageOptions`; the server sets the upper limits. */
export function readPageOptions(args: ParsedArguments): PageChoice {
  return { page: readNumber(args, 'page'), pageSize: readNumber(args, 'page-size') };
}

/** The option for the next part of a list, as a note; none after the last part. */
export function noteNextPart(
  list: { readonly next_page: number | null } | { readonly next_before: string | number | null },
): readonly string[] {
  const [option, next] = 'next_page' in list ? ['page', list.next_page] : ['before', list.next_before];
  return next === null ? [] : [`More entries: --${option} ${next}`];
}

/** Reads a whole number from 1. */
export function readNumber(args: ParsedArguments, option: string): number | undefined {
  const text = args.text(option);
  if (text === undefined) return undefined;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (number < 1) throw new UsageError(`--${option} "${text}" is not a whole number from 1.`);
  return number;
}
