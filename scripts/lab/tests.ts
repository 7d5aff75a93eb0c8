import { readFileSync } from 'node:fs';
import { listFiles } from '../list-files.ts';
import { runInTurn, runVitest } from '../steps.ts';

// `npm run lab -- tests`: the tests that `npm test` leaves out because of their duration (`*.lab.test.ts`), and those of
// races and kills, repeated about five times as often. It takes half an hour.

const isRepeated = (file: string) => /repetitions\(|isThorough/.test(readFileSync(file, 'utf8'));
const files = listFiles('.', '*.test.ts').filter((file) => file.endsWith('.lab.test.ts') || isRepeated(file));
process.env['AGENT_PLATFORM_THOROUGH'] = '1';
// Tests read the folder that this step builds.
const [hasSite] = await runInTurn([
  { name: 'the documentation site builds', program: 'site/main.ts', args: ['--build'] },
]);
const tests = await runVitest(files);
const failed = tests.failed + (hasSite === true ? 0 : 1);
console.log(`${tests.passed + (hasSite === true ? 1 : 0)} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
