import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readDurations } from './scripts/test-durations.ts';

/** Starts the longest files first, so that the run does not end with a single busy worker. */
class LongestFirst extends BaseSequencer {
  readonly #durationsMs = readDurations();

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const durationOf = ({ moduleId }: TestSpecification) =>
      this.#durationsMs.get(relative(import.meta.dirname, moduleId)) ?? 0;
    return files.toSorted((one, other) => durationOf(other) - durationOf(one));
  }
}

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '.runtime/**', 'data/**', 'create/template/**'],
    pool: 'forks',
    // All files of a worker share its modules, because importing the server for each file took a quarter of the time.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    setupFiles: ['testing/src/clean-up-set-up.ts'],
    // Tests spend nearly half of their time waiting, for example for a process. More workers would import more modules.
    maxWorkers: availableParallelism() * 2,
    // Ten times the duration on an idle machine, or three times for tests over 30 s, because these limits must only
    // detect hanging tests. A test only sets a different limit to test that limit.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 120_000 } },
    globalSetup: ['testing/src/postgres-global-set-up.ts', 'server/testing/empty-databases-global-set-up.ts'],
  },
});
