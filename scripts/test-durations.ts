import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
// `quiet` contains the durations of a complete run on two idle processors. `npm test` writes the durations of its run
// to `latest`; copy `latest` to update `quiet`.
const quiet = new URL('test-durations.json', import.meta.url);
const latest = new URL('../.runtime/test-durations.json', import.meta.url);

interface VitestReport {
  readonly testResults: readonly { readonly name: string; readonly startTime: number; readonly endTime: number }[];
}

/** The duration of each test file in milliseconds, from its last run here or else from the committed run. */
export function readDurations(): ReadonlyMap<string, number> {
  return new Map([...readFile(quiet), ...readFile(latest)]);
}

function readFile(store: URL): readonly (readonly [file: string, ms: number])[] {
  try {
    return Object.entries(JSON.parse(readFileSync(store, 'utf8')));
  } catch {
    return [];
  }
}

export function recordDurations(reportFile: string): void {
  try {
    const { testResults }: VitestReport = JSON.parse(readFileSync(reportFile, 'utf8'));
    const taken = testResults.map(
      ({ name, startTime, endTime }) => [relative(root, name), endTime - startTime] as const,
    );
    const durations = [...readFile(latest), ...taken];
    writeFileSync(latest, `${JSON.stringify(Object.fromEntries(durations), undefined, 2)}\n`);
  } catch {
    // Without a report, the next check assumes default durations.
  }
}
