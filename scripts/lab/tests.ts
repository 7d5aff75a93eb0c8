import { readFileSync } from 'node:fs';
import { listFiles } from '../list-files.ts';
import { runVitest } from '../steps.ts';

// `npm run lab -- tests`: the tests that `npm test` leaves out because of their duration (`*.lab.test.ts`), and those of
// races and kills, repeated about five times as often.

const isRepeated = (file: string) => /repetitions\(|isThorough/.test(readFileSync(file, 'utf8'));
const files = listFiles('.', '*.test.ts').filter((file) => file.endsWith('.lab.test.ts') || isRepeated(file));
process.env['AGENT_PLATFORM_THOROUGH'] = '1';
const { passed, failed } = await runVitest(files);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
