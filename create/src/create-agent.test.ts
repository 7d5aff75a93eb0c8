import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { createAgent } from './create-agent.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

it('writes a project with the name of its folder and the SDK of this version', () => {
  const folder = createAgent(join(makeTestFolder(), 'harbour-bot'));

  expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({
    name: 'harbour-bot',
    dependencies: { '@agent-platform/sdk': `^${version}` },
  });
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['.gitignore', 'Containerfile', 'README.md', 'src']));
});

it('changes nothing in a folder that is not empty, and refuses a name that npm refuses', () => {
  const folder = makeTestFolder();
  writeFileSync(join(folder, 'notes.txt'), 'mine');

  expect(() => createAgent(folder)).toThrow(/is not empty|cannot be the name/);
  expect(() => createAgent(join(folder, 'My Bot'))).toThrow('cannot be the name of a package');
  expect(readdirSync(folder)).toEqual(['notes.txt']);
});
