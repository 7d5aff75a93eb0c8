import { quickSteps, runInTurn, runVitest, type Step } from './steps.ts';
import type { Tally } from './tally.ts';

// `npm test`: everything that must pass before a change is merged. Without arguments it runs everything; arguments are
// passed to vitest, which then runs alone (`npm test -- sdk`, `npm test -- server/src/store -t migrations`). Files named
// `*.lab.test.ts` take too long for it: `npm run lab -- tests` runs them.

const siteStep: Step = { name: 'the documentation site builds', program: 'site/main.ts', args: ['--build'] };
const packageStep: Step = { name: 'packages build, pack and install', program: 'scripts/check-packages.ts' };

const chosen = process.argv.slice(2);
const total = chosen.length > 0 ? await runVitest(chosen) : await runEverything();
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);

async function runEverything(): Promise<Tally> {
  const names = [siteStep, packageStep, ...quickSteps].map(({ name }) => name);
  console.log(`Checking: ${names.join('; ')} …`);
  const site = runInTurn([siteStep]);
  const quick = site.then(() => runInTurn(quickSteps));
  // Tests read the folders that these steps build.
  const built = await Promise.all([site, runInTurn([packageStep])]);
  const [tests, others] = await Promise.all([runVitest(['--exclude', '**/*.lab.test.ts']), quick]);
  const steps = [...built.flat(), ...others];
  const stepsPassed = steps.filter((passed) => passed).length;
  return { passed: tests.passed + stepsPassed, failed: tests.failed + steps.length - stepsPassed };
}
