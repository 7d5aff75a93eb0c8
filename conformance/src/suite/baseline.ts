import { readFileSync } from 'node:fs';
import { CannotRun, rethrowAsCannotRun } from '../context/cannot-run.ts';
import type { Requirement } from '../verdict/requirements.ts';

/** The reasons why requirements are expected to fail, by requirement id. */
export type Baseline = ReadonlyMap<string, string>;

/** Without a file, no failure is expected. */
export function readBaseline(file: string | undefined, known: readonly Requirement[]): Baseline {
  if (file === undefined) return new Map();
  const text = rethrowAsCannotRun(`${file} cannot be read: `, () => readFileSync(file, 'utf8'));
  return parseBaseline(text, file, known);
}

/** Parses lines with the id of a requirement and the reason why it is expected to fail; `#` starts a comment line. */
export function parseBaseline(text: string, file: string, known: readonly Requirement[]): Baseline {
  const ids = new Set(known.map(({ id }) => id));
  const baseline = new Map<string, string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const entry = line.trim();
    if (entry === '' || entry.startsWith('#')) continue;
    const [id = '', ...reason] = entry.split(/\s+/);
    const where = `${file}, line ${at + 1}`;
    if (!ids.has(id)) throw new CannotRun(`${where}: ${id} is not a requirement.`);
    if (baseline.has(id)) throw new CannotRun(`${where}: ${id} occurs twice.`);
    if (reason.length === 0) throw new CannotRun(`${where}: add the reason of the expected failure after ${id}.`);
    baseline.set(id, reason.join(' '));
  }
  return baseline;
}
