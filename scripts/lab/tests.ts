import { readFileSync } from 'node:fs';
import { listFiles } from '../list-files.ts';
import { runSequentially, runVitest } from '../steps.ts';
import { addStepOutcomes } from '../tally.ts';

// `npm run lab -- tests`: runs the tests that are too long for `npm test` (`*.lab.test.ts`), and repeats the tests of
// races and kills about five times as often. Takes 18 minutes on two cores.

const isRepeated = (file: string) => /[rR]epetitions\(|isThorough/.test(readFileSync(file, 'utf8'));
const isLong = (file: string) => file.endsWith('.lab.test.ts');
const files = listFiles('.', '*.test.ts').filter((file) => isLong(file) || isRepeated(file));
if (files.every(isLong)) throw new Error('No test calls scaleRepetitions: correct the expression in this file.');
process.env['AGENT_PLATFORM_THOROUGH'] = '1';
// Builds the site first, because tests read its folder.
const steps = await runSequentially([
  { name: 'the documentation site builds', program: 'site/main.ts', args: ['--build'] },
]);
const { passed, failed } = addStepOutcomes(await runVitest(files), steps);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
