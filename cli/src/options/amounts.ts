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
