import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { IncomingFolder } from './incoming-folder.ts';

const now = new Date('2026-11-22T12:00:00Z');
const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

it('removes what ended processes left, links included, and nothing newer', async () => {
  const root = mkdtempSync(join(tmpdir(), 'incoming-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const age of ['old', 'new']) {
    mkdirSync(join(root, `${age}-workspace`));
    writeFileSync(join(root, `${age}-file`), '');
  }
  symlinkSync('/nothing/there', join(root, 'old-link'));
  const incoming = new IncomingFolder(root);
  for (const name of ['old-workspace', 'old-file']) utimesSync(join(root, name), secondsAgo(600), secondsAgo(600));

  await incoming.sweep(now);
  expect(readdirSync(root).toSorted()).toEqual(['new-file', 'new-workspace', 'old-link']);
  await incoming.sweep(new Date(Date.now() + 60_000));
  expect(readdirSync(root)).toEqual([]);
});
