import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quickSteps, runInTurn, runVitest, type Step } from './steps.ts';
import type { Tally } from './tally.ts';

// `npm test`: everything that must hold before a change lands. Without
// arguments all of it; arguments are handed to vitest, which then runs alone
// (`npm test -- sdk`, `npm test -- server/src/store -t migrations`).

// Before the tests, which inspect the result; they build it themselves where it is missing.
const siteStep: Step = { name: 'the documentation site builds', program: 'site/main.ts', args: ['--build'] };

const chosen = process.argv.slice(2);
const total = chosen.length > 0 ? await runVitest(chosen) : await runEverything();
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);

async function runEverything(): Promise<Tally> {
  const packages = mkdtempSync(join(tmpdir(), 'agent-platform-packed-'));
  process.once('exit', () => rmSync(packages, { recursive: true, force: true }));
  // The packages keep one processor busy and the rest the other; vitest then
  // has both, as its tests watch the time.
  const lanes = [[...quickSteps, siteStep], packageSteps(packages)];
  const names = lanes.flat().map(({ name }) => name);
  console.log(`Checking: ${names.join('; ')} …`);
  const outcomes = (await Promise.all(lanes.map(runInTurn))).flat();
  const tests = await runVitest([]);
  const stepsPassed = outcomes.filter((passed) => passed).length;
  return { passed: tests.passed + stepsPassed, failed: tests.failed + outcomes.length - stepsPassed };
}

/** The steps that use the packages as published. The first packs them into the folder, for the second as well. */
function packageSteps(folder: string): readonly Step[] {
  const args = ['--packages', folder];
  return [
    { name: 'packages build, pack and install', program: 'scripts/check-packages.ts', args },
    // It names each runtime, also one that cannot be installed here.
    { name: 'the packed SDK on its runtimes', program: 'scripts/runtimes.ts', args, showsOutput: true },
  ];
}
