import { Option } from 'commander';
import { UsageError } from '../errors/failure.ts';
import type { Typed } from './parsed-arguments.ts';

/** Which page of a list, as a person names it. */
export interface PageChoice {
  readonly page: number | undefined;
  readonly pageSize: number | undefined;
}

/** The options of every list by pages. */
export function declarePageOptions(): Option[] {
  return [
    new Option('--page <number>', 'which page, from 1 on'),
    new Option('--page-size <number>', 'how many on a page, 1 to 50; 20 unless said otherwise'),
  ];
}

/** Reads them; how large a number may be is for the server to say. */
export function readPageOptions(typed: Typed): PageChoice {
  return { page: readNumber(typed, 'page'), pageSize: readNumber(typed, 'page-size') };
}

/** What a person has to type for the next page, as a hint; nothing after the last one. */
export function noteNextPage(nextPage: number | null): readonly string[] {
  return nextPage === null ? [] : [`There is more: --page ${nextPage}`];
}

/** Reads a whole number from 1 on. */
export function readNumber(typed: Typed, option: string): number | undefined {
  const text = typed.text(option);
  if (text === undefined) return undefined;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (number < 1) throw new UsageError(`--${option} "${text}" is not a whole number from 1 on.`);
  return number;
}
