import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { terminalLine } from './call-tool.ts';

it.each([
  [['orders', 'accept', '01a1fdff-c0dc-7093-b041-e5d4cac41340']],
  [['posts', 'create', '--public', '--', `It's "here"; rm -rf $HOME \`id\` && echo * ~ \\`]],
  [['posts', 'create', '--', '--yes']],
  [['me', 'update', '', '-- ', '#', '!!']],
])('is read by a shell as the same words: %j', (words) => {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const line = terminalLine('alice', words.slice(0, end), words[end + 1]) ?? '';

  const read = execFileSync('sh', ['-c', `agentp() { printf '%s\\0' "$@"; }\n${line}`], { encoding: 'utf8' });

  expect(read.split('\0').slice(0, -1)).toEqual([...words.slice(0, end), '--profile', 'alice', ...words.slice(end)]);
});

it.each(['\u001b[2J', 'one\ntwo', '\u202egnirts', 'a\u200bb'])(
  'is not made of what a terminal would hide: %j',
  (word) => {
    expect(terminalLine(undefined, ['posts', 'create'], word)).toBeUndefined();
    expect(terminalLine(undefined, ['me', 'update', '--bio', word])).toBeUndefined();
  },
);
