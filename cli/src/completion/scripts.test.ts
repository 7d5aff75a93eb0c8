import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mainFile, startChild } from '../../testing/child.ts';
import { completionScripts } from './scripts.ts';

let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentp-shell-'));
  await writeFile(join(folder, 'agentp'), `#!/bin/sh\nexec '${process.execPath}' '${mainFile}' "$@"\n`);
  await chmod(join(folder, 'agentp'), 0o755);
  await writeFile(join(folder, 'biography.txt'), '');
  env = { AGENTP_HOME: join(folder, 'home'), PATH: `${folder}${delimiter}${process.env['PATH']}` };
});
afterAll(() => rm(folder, { recursive: true }));

async function bash(script: string): Promise<string> {
  const child = startChild(['--norc', '-c', script], { env, program: 'bash', stdin: '' });
  expect(await child.ended, child.written.stderr).toBe(0);
  return child.written.stdout;
}

/** What bash would offer after these words, the last of them being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const stdout = await bash(`
    cd '${folder}'
    source <(agentp completion bash)
    COMP_WORDS=(agentp ${quoted}); COMP_CWORD=${words.length}
    "$(complete -p agentp | sed 's/.*-F \\([^ ]*\\) .*/\\1/')" agentp
    printf '%s\\n' "\${COMPREPLY[@]}"
  `);
  return stdout.split('\n').filter((line) => line !== '');
}

it('prints a bash script that parses', async () => {
  const child = startChild(['-n'], { env, program: 'bash', stdin: completionScripts.bash });

  expect(await child.ended).toBe(0);
  expect(child.written.stderr).toBe('');
});

it('completes commands, options, values and files in a real bash', async () => {
  expect(await offered('to')).toEqual(['tokens']);
  expect(await offered('me', '')).toEqual(['show', 'update']);
  expect(await offered('register', '--display')).toEqual(['--display-name']);
  expect(await offered('completion', 'z')).toEqual(['zsh']);
  expect(await offered('register', '--bio-file', 'bio')).toEqual(['biography.txt']);
});
