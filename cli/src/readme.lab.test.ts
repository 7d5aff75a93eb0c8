import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { parseCommandLine } from '@agent-platform/cli-core/program/parse-command-line';
import { renderRequestedText } from '@agent-platform/cli-core/program/print-text';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isPublished, makeInstallLines } from '../../install-lines.ts';
import { openMachine, startReferenceServer } from '../testing/agentp.ts';
import { captureIo } from '../testing/captured-io.ts';
import { mainFile, startChild } from '../testing/child.ts';
import { makeFriends } from '../testing/friends.ts';
import { catalogue } from './commands/catalogue.ts';

const folder = makeTestFolder();
let env: Record<string, string>;
let server: Awaited<ReturnType<typeof startReferenceServer>>;
let readme: string;

beforeAll(async () => {
  server = await startReferenceServer();
  await mkdir(join(folder, 'bin'));
  await writeProgram('agentp', `exec '${process.execPath}' '${mainFile}' "$@"`);
  // Test machines may lack curl, so this emulates `curl -s -H HEADER URL`.
  const fetchIt = `fetch(process.argv[2], { headers: [process.argv[1].split(': ')] }).then((r) => r.text()).then(console.log)`;
  await writeProgram(
    'curl',
    `exec '${process.execPath}' -e "${fetchIt}" "$3" "$(echo "$4" | sed 's,http://127.0.0.1:8080,${server.url},')"`,
  );
  env = {
    AGENTP_HOME: join(folder, 'home'),
    AGENTP_BASE_URL: server.url,
    NO_COLOR: '1',
    PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`,
  };
  readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
});
afterAll(() => server.stop());

async function writeProgram(name: string, line: string): Promise<void> {
  await writeFile(join(folder, 'bin', name), `#!/bin/sh\n${line}\n`);
  await chmod(join(folder, 'bin', name), 0o755);
}

/** The commands of all sessions in a text, in order, each with its output. */
function findCommands(text: string): { command: string; output: string }[] {
  const sessions = [...text.matchAll(/^```console\n(.*?)^```$/gms)].map(([, session = '']) => session);
  return sessions.flatMap((session) =>
    session
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n');
        return { command: part.slice(0, end), output: part.slice(end + 1) };
      }),
  );
}

/** Replaces values that differ between runs. */
function normalize(output: string): string {
  return (
    output
      .replaceAll('\r\n', '\n')
      .replaceAll(server.url, 'http://127.0.0.1:8080')
      .replaceAll(join(folder, 'home'), '/home/alice/.config/agentp')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '(id)')
      .replaceAll(/([0-9a-f]{4} ){7}[0-9a-f]{4}|[0-9a-f]{64}/g, '(fingerprint)')
      .replaceAll(/[A-Za-z0-9+/]{43}=/g, '(key)')
      .replaceAll(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d\.\d{3}Z| UTC)/g, '(time)')
      .replaceAll(/\((just now|\d+ minutes? ago)\)/g, '(age)')
      .replaceAll(/Node\.js [\d.]+/g, '(Node.js)')
      // Ignores the width of columns, because it depends on the length of the test's port number.
      .replaceAll(/(?<=\S) {2,}/g, '  ')
  );
}

it('shows sessions with the exact output on a terminal', async () => {
  const commands = findCommands(readme);
  expect(commands.length).toBeGreaterThan(10);
  for (const { command, output } of commands) {
    const child = startChild(['-qec', command, '/dev/null'], { env, program: 'script', stdin: '' });
    await child.ended;
    expect(normalize(child.written.stdout), command).toBe(normalize(output));
  }
});

it('names every global option and every completion', () => {
  const { io } = captureIo();
  const help = renderRequestedText(['help', 'options'], io.stdout) ?? '';
  const options = [...help.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, name]) => name);
  expect(options.length).toBeGreaterThan(5);
  for (const option of options) expect(readme).toContain(`\`${option}`);
  for (const shell of ['bash', 'zsh', 'fish']) expect(readme).toContain(`agentp completion ${shell}`);
});

/** The shell command lines in a text, without trailing comments. */
function findShellLines(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  // Excludes scripts, because a script runs as a whole and not line by line.
  const sessions = blocks.filter((block) => !block.startsWith('#!'));
  return sessions.flatMap((block) =>
    block
      .split('\n')
      .map((line) => line.replace(/ +# .*$/, ''))
      .filter((line) => line !== ''),
  );
}

function toWords(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '').slice(1);
}

it('shows command lines that parse', () => {
  const { io } = captureIo();
  const lines = findShellLines(readme).map((line) => line.replace(makeInstallLines('cli', isPublished).run, 'agentp'));
  const own = lines.filter((line) => line.startsWith('agentp ')).map((line) => line.replace(/ > .*$/, ''));
  expect(own.length).toBeGreaterThan(50);
  for (const line of own) expect(parseCommandLine(toWords(line), io, catalogue).kind, line).toBe('work');
});

it('has a reply.sh that answers each message once', async () => {
  const [, script = ''] = /^```sh\n(#!.*?)^```$/ms.exec(readme) ?? [];
  const file = join(folder, 'bin', 'reply.sh');
  await writeFile(file, script);
  await chmod(file, 0o755);
  const machine = openMachine(join(folder, 'reply'), server.url);
  await makeFriends(machine, server, ['asking', 'replying']);
  const asReplying = ['--profile', 'replying'];
  await machine.data(['messages', 'send', 'replying', 'Are you "there"?']);
  const finished = async () =>
    (await machine.data(['events', 'list', '--status', 'finished', ...asReplying]))['events'];

  const ending = new AbortController();
  const words = ['events', 'listen', '--kind', 'message.created', '--open', '--exec', file, ...asReplying];
  const listening = machine.run(words, { env: { ...env, AGENTP_HOME: machine.home }, signal: ending.signal });
  await expect.poll(finished).toHaveLength(1);
  const [{ event }] = Object(await finished());
  await machine.data(['events', 'replay', event.event_id, ...asReplying]);
  await expect.poll(finished).toHaveLength(1);
  ending.abort(new Error('enough'));

  expect((await listening).stdout.match(/"exit_code":0/g)).toHaveLength(2);
  expect(await machine.data(['messages', 'list', 'replying', '--fields', 'messages.text'])).toEqual({
    messages: [{ text: 'You said: Are you "there"?' }, { text: 'Are you "there"?' }],
  });
});
