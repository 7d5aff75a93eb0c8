import { execFileSync } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { installProgram } from '@agent-platform/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { beforeAll, expect, it, type TestContext, vi } from 'vitest';
import { mainFile, startChild } from '../../../cli/testing/child.ts';
import { completionScripts } from './completion-scripts.ts';

const folder = makeTestFolder();
let env: Record<string, string>;

beforeAll(async () => {
  await writeFile(join(folder, 'agentp'), `#!/bin/sh\nexec '${process.execPath}' '${mainFile}' "$@"\n`);
  await chmod(join(folder, 'agentp'), 0o755);
  await writeFile(join(folder, 'biography.txt'), '');
  env = {
    AGENTP_HOME: join(folder, 'home'),
    HOME: folder,
    TERM: 'xterm',
    PATH: `${folder}${delimiter}${process.env['PATH']}`,
  };
});

/** Skips a test if its shell is not installed. */
function requireShell(shell: string, { skip }: TestContext): void {
  if (installProgram(shell)) {
    const [version = ''] = execFileSync(shell, ['--version'], { encoding: 'utf8' }).split('\n');
    process.stderr.write(`The completion is tested with ${version}.\n`);
    return;
  }
  process.stderr.write(
    `The completion of ${shell} is not tested: this machine has no ${shell}, and cannot install it.\n`,
  );
  skip(`${shell} is not installed`);
}

async function run(program: string, args: readonly string[], stdin = ''): Promise<string> {
  const child = startChild(args, { env, program, stdin });
  expect(await child.ended, child.written.stderr).toBe(0);
  return child.written.stdout;
}

/** The completions that bash offers after these words, the last of which is being typed. */
async function offeredByBash(...words: string[]): Promise<string[]> {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const script = `
    cd '${folder}'
    source <(agentp completion bash)
    COMP_WORDS=(agentp ${quoted}); COMP_CWORD=${words.length}
    "$(complete -p agentp | sed 's/.*-F \\([^ ]*\\) .*/\\1/')" agentp
    printf '%s\\n' "\${COMPREPLY[@]}"
  `;
  return (await run('bash', ['--norc', '-c', script])).split('\n').filter((line) => line !== '');
}

it('prints a bash script that parses', async () => {
  expect(await run('bash', ['-n'], completionScripts.bash)).toBe('');
});

it('completes commands, options, values and files in a real bash', async () => {
  expect(await offeredByBash('to')).toEqual(['tokens']);
  expect(await offeredByBash('me', '')).toEqual(['show', 'update']);
  expect(await offeredByBash('register', '--display')).toEqual(['--display-name']);
  expect(await offeredByBash('completion', 'z')).toEqual(['zsh']);
  expect(await offeredByBash('register', '--bio-file', 'bio')).toEqual(['biography.txt']);
});

it('completes commands, options, values and files in a real fish', async (context) => {
  requireShell('fish', context);
  const lines = ['to', 'me ', 'register --display', 'completion z', 'register --bio-file bio'];
  const asked = lines.map((line) => `complete -C 'agentp ${line}'; echo ==`).join('\n');
  const script = `cd '${folder}'\nsource (agentp completion fish | psub)\n${asked}`;

  const offered = (await run('fish', ['--no-config', '-c', script])).split('==\n');

  expect(offered.slice(0, 5).map((text) => text.split('\n').flatMap((line) => line.split('\t')[0] || []))).toEqual([
    ['tokens'],
    ['show', 'update'],
    ['--display-name'],
    ['zsh'],
    ['biography.txt'],
  ]);
});

it('completes commands, options, values and files in a real zsh', async (context) => {
  requireShell('zsh', context);
  const shown = join(folder, 'shown');
  const child = startChild(['-qec', 'zsh -f -i', '/dev/null'], { env, program: 'script', stdin: undefined });
  const type = async (text: string, ready: string) => {
    child.type(text);
    await vi.waitUntil(() => child.written.stdout.includes(ready), { timeout: 120_000 });
  };
  // Ctrl-G writes the current input line to a file and starts another one.
  await type(
    `PS1='rea''dy> '; cd '${folder}'; autoload -Uz compinit; compinit -u -D; source <(agentp completion zsh); ` +
      `show() { print -r -- "$BUFFER" >> '${shown}'; BUFFER= }; zle -N show; bindkey '^G' show; unsetopt auto_menu\n`,
    'ready> ',
  );
  for (const words of ['to', 'register --display', 'completion z', 'register --bio-file bio']) {
    child.type(`agentp ${words}\t\u0007`);
  }
  await type('agentp me \t', 'change your own profile');
  child.type('\u0007');
  await vi.waitUntil(async () => (await readFile(shown, 'utf8').catch(() => '')).split('\n').length > 5, 120_000);
  child.type('exit\n');
  await child.ended;

  expect((await readFile(shown, 'utf8')).split('\n').map((line) => line.trim())).toEqual([
    'agentp tokens',
    'agentp register --display-name',
    'agentp completion zsh',
    'agentp register --bio-file biography.txt',
    'agentp me',
    '',
  ]);
  expect(child.written.stdout).toMatch(/show +-- show your own profile/);
});
