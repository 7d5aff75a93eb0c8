import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const store = new URL('../.runtime/test-durations.json', import.meta.url);

interface VitestReport {
  readonly testResults: readonly { readonly name: string; readonly startTime: number; readonly endTime: number }[];
}

/** How long each test file took when it last ran here, in ms. */
export function readDurations(): ReadonlyMap<string, number> {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(store, 'utf8'))));
  } catch {
    return new Map();
  }
}

/** Notes the durations of a run from the report of vitest. */
export function recordDurations(reportFile: string): void {
  try {
    const { testResults }: VitestReport = JSON.parse(readFileSync(reportFile, 'utf8'));
    const taken = testResults.map(
      ({ name, startTime, endTime }) => [relative(root, name), endTime - startTime] as const,
    );
    writeFileSync(store, JSON.stringify(Object.fromEntries([...readDurations(), ...taken])));
  } catch {
    // Without a report there is nothing to note, and the next check assumes ordinary durations.
  }
}
