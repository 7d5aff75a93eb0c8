import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { IncomingFolder } from './incoming-folder.ts';

const unchangedMs = 50;

it('removes leftovers of ended processes, including links, but no changing file, whatever the clock says', async () => {
  const root = makeTestFolder();
  for (const name of ['left', 'arriving']) {
    mkdirSync(join(root, `${name}-workspace`));
    writeFileSync(join(root, `${name}-file`), '');
  }
  symlinkSync('/nothing/there', join(root, 'left-link'));
  const names = readdirSync(root);
  // The modification times are old, as if the machine's clock had jumped ahead.
  const longAgo = new Date(Date.now() - 100 * 86_400_000);
  for (const name of names) if (!name.endsWith('link')) utimesSync(join(root, name), longAgo, longAgo);
  const incoming = new IncomingFolder(root);

  await incoming.sweep(unchangedMs);
  expect(readdirSync(root)).toEqual(names);
  await wait(2 * unchangedMs);
  for (const name of ['arriving-workspace', 'arriving-file']) utimesSync(join(root, name), new Date(), new Date());
  await incoming.sweep(unchangedMs);
  expect(readdirSync(root).toSorted()).toEqual(['arriving-file', 'arriving-workspace']);
  await incoming.sweep(0);
  expect(readdirSync(root)).toEqual([]);
});
