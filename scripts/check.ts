import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chooseTests } from './choose-tests.ts';
import { readImports } from './import-graph.ts';
import { listFiles } from './list-files.ts';
import { quickSteps, runSequentially, runVitest } from './steps.ts';
import { readDurations } from './test-durations.ts';

// `npm run check`: runs the quick steps of `npm test` and the tests affected by the changes since main, in about a
// minute. Needs no network.

// Limits the sum of the durations of the chosen test files; two files run at a time.
const testBudgetMs = 50_000;

function git(...args: readonly string[]): string {
  return execFileSync('git', [...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Returns the commit at which the work branched off main, or the last commit if there is no main branch. */
function findBase(): string {
  try {
    return git('merge-base', 'main', 'HEAD').trim();
  } catch {
    return 'HEAD';
  }
}

function findChangedFiles(): readonly string[] {
  const lists = [git('diff', '--name-only', '-z', findBase()), git('ls-files', '-z', '--others', '--exclude-standard')];
  return [...new Set(lists.flatMap((list) => list.split('\0')))].filter((path) => path !== '');
}

async function chooseTestsOfChange() {
  const { modules } = await readImports();
  return chooseTests({
    changed: findChangedFiles(),
    imports: new Map(modules.map(({ source, dependencies }) => [source, dependencies.map(({ resolved }) => resolved)])),
    tests: new Map(listFiles('.', '*.test.ts').map((test) => [test, readFileSync(test, 'utf8')])),
    durationsMs: readDurations(),
    budgetMs: testBudgetMs,
  });
}

const { chosen, left } = await chooseTestsOfChange();
const outcomes = await runSequentially(quickSteps);
const tests = chosen.length === 0 ? { passed: 0, failed: 0 } : await runVitest(chosen);
if (left.length > 0) console.log(`Left to npm test, as they take longer: ${left.join(', ')}`);
const failed = tests.failed + outcomes.filter((passed) => !passed).length;
console.log(`${chosen.length} test files, ${tests.passed} tests passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
