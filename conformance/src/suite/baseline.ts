import { readFileSync } from 'node:fs';
import type { Requirement } from '../verdict/requirements.ts';

/** The failures that are expected, each with the reason that was written beside it. */
export type Baseline = ReadonlyMap<string, string>;

/** A baseline that cannot be used; the message says why. */
export class BaselineError extends Error {
  override readonly name = 'BaselineError';
}

/** Reads a file of expected failures. */
export function readBaseline(file: string | undefined, known: readonly Requirement[]): Baseline {
  if (file === undefined) return new Map();
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new BaselineError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return parseBaseline(text, file, known);
}

/** One requirement a line, and why it fails after it; `#` begins a remark. */
export function parseBaseline(text: string, file: string, known: readonly Requirement[]): Baseline {
  const ids = new Set(known.map(({ id }) => id));
  const baseline = new Map<string, string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const entry = line.trim();
    if (entry === '' || entry.startsWith('#')) continue;
    const [id = '', ...reason] = entry.split(/\s+/);
    const where = `${file}, line ${at + 1}`;
    if (!ids.has(id)) throw new BaselineError(`${where}: ${id} is not a requirement.`);
    if (baseline.has(id)) throw new BaselineError(`${where}: ${id} occurs twice.`);
    if (reason.length === 0) throw new BaselineError(`${where}: add the reason of the expected failure after ${id}.`);
    baseline.set(id, reason.join(' '));
  }
  return baseline;
}
