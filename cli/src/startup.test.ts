import { expect, it } from 'vitest';
import { mainFile, startChild } from '../testing/child.ts';

// Prints the address of every module that is loaded.
const hook = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module';
   registerHooks({ load(url, context, next) { process.stderr.write('loaded ' + url + '\\n'); return next(url, context); } });`,
)}`;

it.each([['wallet show --help'], ['--version'], ['__complete -- wallet s']])(
  'loads neither the SDK nor the commands for "agentp %s"',
  async (line) => {
    const args = ['--import', hook, mainFile, ...line.split(' ')];
    const child = startChild(args, { env: { AGENTP_HOME: '/nowhere' }, program: process.execPath, stdin: '' });

    expect(await child.ended).toBe(0);
    const loaded = child.written.stderr.split('\n').filter((text) => text.startsWith('loaded file:'));
    expect(loaded.length).toBeGreaterThan(5);
    expect(loaded.filter((url) => /\/(sdk|contract|undici|cli\/src\/commands)\//.test(url))).toEqual([]);
  },
);
