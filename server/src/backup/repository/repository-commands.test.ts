import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { withBackupLock } from './repository-commands.ts';

it('removes the folder of a killed command, into which its worker still writes', async () => {
  const repository = makeTestFolder();
  const folder = join(repository, '.scratch-0123456789abcdef');
  const writeOn = () => {
    mkdirSync(join(folder, 'database'), { recursive: true });
    for (let file = 0; file < 20; file += 1) writeFileSync(join(folder, 'database', `${performance.now()}`), '');
  };
  writeOn();
  const writing = setInterval(writeOn, 1);
  setTimeout(() => clearInterval(writing), 300);
  await withBackupLock(repository, async () => undefined);
  clearInterval(writing);
  expect(readdirSync(repository).filter((name) => name.startsWith('.scratch'))).toEqual([]);
});
