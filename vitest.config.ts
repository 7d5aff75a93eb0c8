import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// These files take more than half a minute each. They start first, so that the run does not end with one worker busy.
const slowFiles =
  /(order-crash|upload-crash|state\/crash|variants|suite\/suite|builds|mutants-of-(files|trade|events)|topic-order|order-model|order-races|operator-process|store\/store|inspectors|public-pages|agents|backup|documents|(server|bench|cli)\/src\/main)\.test\.ts$/;

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { slow = [], other = [] } = Object.groupBy(await super.sort(files), ({ moduleId }) =>
      slowFiles.test(moduleId) ? 'slow' : 'other',
    );
    return [...slow, ...other];
  }
}

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '.runtime/**', 'data/**', 'create/template/**'],
    pool: 'forks',
    // The files of a worker share its modules: importing the server for each file took a quarter of the time.
    isolate: false,
    sequence: { sequencer: SlowFirst },
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
