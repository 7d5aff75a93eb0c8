import { readFileSync } from 'node:fs';
import { listFiles } from '../list-files.ts';
import { runVitest } from '../steps.ts';

// `npm run lab -- repetitions`: the tests of races and kills, each repeated about five times as often as in `npm test`.

const files = listFiles('.', '*.test.ts').filter((file) =>
  /repetitions\(|isThorough|\batEach\(/.test(readFileSync(file, 'utf8')),
);
process.env['AGENT_PLATFORM_THOROUGH'] = '1';
const { passed, failed } = await runVitest(files);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
