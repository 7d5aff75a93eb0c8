import { type CheckStep, quickSteps, runSequentially, runVitest } from './steps.ts';
import { addStepOutcomes, type TestCounts } from './tally.ts';

// `npm test`: runs all checks of a change except the long tests in `*.lab.test.ts`, which CI runs on each push with
// `npm run lab -- tests`. With arguments, only runs vitest with these arguments and does not skip the long tests
// (`npm test -- sdk`, `npm test -- server/src/store -t migrations`).

const packageStep: CheckStep = { name: 'packages build, pack and install', program: 'scripts/check-packages.ts' };

const chosen = process.argv.slice(2);
const total = chosen.length > 0 ? await runVitest(chosen) : await runEverything();
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);

async function runEverything(): Promise<TestCounts> {
  console.log(`Checking: ${[packageStep, ...quickSteps].map(({ name }) => name).join('; ')} …`);
  const steps = (await Promise.all([runSequentially([packageStep]), runSequentially(quickSteps)])).flat();
  return addStepOutcomes(await runVitest(['--exclude', '**/*.lab.test.ts']), steps);
}
