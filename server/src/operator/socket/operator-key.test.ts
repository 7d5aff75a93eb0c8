import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { makeOperatorKey, readKeyHeaders } from './operator-key.ts';

it('reads the key that the server has written', () => {
  const folder = makeTestFolder();
  const key = makeOperatorKey(folder);

  expect(key.accepts(readKeyHeaders(folder)['authorization'])).toBe(true);
  expect(key.accepts('Bearer ')).toBe(false);
  key.remove();
  expect(readKeyHeaders(folder)).toEqual({});
});

it.each([
  ['a link to another file', (path: string, folder: string) => symlinkSync(join(folder, 'secret'), path)],
  ['a link to another key', (path: string, folder: string) => symlinkSync(join(folder, 'key'), path)],
  ['a text of another form', (path: string) => writeFileSync(path, 'root:x:0:0')],
  ['a pipe that nobody writes to', (path: string) => void execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'make', path])],
])('sends nothing to the socket where the key is %s', (_, plant) => {
  const folder = makeTestFolder();
  writeFileSync(join(folder, 'secret'), 'of the operator');
  writeFileSync(join(folder, 'key'), 'k'.repeat(43));
  plant(join(folder, 'operator.key'), folder);

  expect(readKeyHeaders(folder)).toEqual({});
});
