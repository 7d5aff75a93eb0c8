import { ConfigurationError, formatCredits, parseCredits } from '@agent-platform/sdk';
import { Option } from 'commander';
import { UsageError } from '../errors/failure.ts';
import type { Typed } from './parsed-arguments.ts';

/** An amount as two options, of which one may be given: in credits for people, in minor units for programs. */
export function declareAmount(name: string, about: string): Option[] {
  return [
    new Option(`--${name} <credits>`, `${about}, in credits: 12.50`).conflicts(camelCase(`${name}-minor`)),
    new Option(`--${name}-minor <units>`, 'the same in minor units, 100 to a credit: 1250'),
  ];
}

/** Reads an amount in minor units; how large it may be is for the server to say. */
export function readAmount(typed: Typed, name: string): number | undefined {
  const minor = typed.text(`${name}-minor`);
  if (minor !== undefined) return readMinor(`--${name}-minor`, minor);
  const credits = typed.text(name);
  return credits === undefined ? undefined : readCredits(`--${name}`, credits);
}

/** An amount for people, with its unit. */
export function showCredits(minor: number): string {
  return `${formatCredits(minor)} credits`;
}

function readMinor(option: string, text: string): number {
  const minor = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(minor)) return minor;
  throw new UsageError(`${option} "${text}" is not a whole number of minor units.`, `For example: ${option} 1250`);
}

function readCredits(option: string, text: string): number {
  try {
    return parseCredits(text);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new UsageError(`${option} "${text}" is no amount of credits.`, `For example: ${option} 12.50`);
  }
}

function camelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
