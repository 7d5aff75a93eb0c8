import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readDurations } from './scripts/test-durations.ts';

/** Starts the longest files first, so that the run does not end with one worker busy. */
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
    exclude: ['**/node_modules/**', '**/dist/**', '.runtime/**', 'data/**'],
    pool: 'forks',
    // The files of a worker share its modules: importing the server for each file took a quarter of the time.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    setupFiles: ['testing/src/clean-up-set-up.ts'],
    // Nearly half of a test's time is waiting: for a process to start, a limit to pass. More workers import more modules.
    maxWorkers: availableParallelism() * 2,
    // Limits find a test that hangs, on a machine that is busy as well: ten times the duration on a quiet one, and three
    // times where that is above 30 s. A test has a limit of its own only where that is what it tests.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 120_000 } },
    globalSetup: ['testing/src/postgres-global-set-up.ts', 'server/testing/empty-databases-global-set-up.ts'],
  },
});
