import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { allMeasures } from '../all-measures.ts';
import { peerMeasures } from '../peers.ts';
import type { Report } from '../report.ts';

export interface SavedRun extends Report {
  /** When the run was saved, in UTC. */
  readonly date: string;
  /** The output of `git describe` for the measured commit, with `-dirty` if there were uncommitted changes. */
  readonly commit: string;
}

export const resultsFolder = new URL('../../results/', import.meta.url);

/** Returns the oldest run first and omits measures that no longer exist. */
export function readSavedRuns(): readonly SavedRun[] {
  if (!existsSync(resultsFolder)) return [];
  const names = new Set([...allMeasures, ...peerMeasures].map(({ name }) => name));
  return readdirSync(resultsFolder)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name): SavedRun => JSON.parse(readFileSync(new URL(name, resultsFolder), 'utf8')))
    .map((run) => ({ ...run, results: run.results.filter(({ measure }) => names.has(measure)) }));
}
