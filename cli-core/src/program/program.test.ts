import { expect, it } from 'vitest';
import { catalogue, commands } from '../../../cli/src/commands/catalogue.ts';
import { runCli } from '../../../cli/src/index.ts';
import { captureIo, type TestEnvironment } from '../../../cli/testing/captured-io.ts';
import { parseCommandLine } from './parse-command-line.ts';

async function run(words: readonly string[], world: TestEnvironment = {}) {
  const { io, stdout, stderr } = captureIo({ ...world, env: { AGENTP_HOME: '/nowhere/agentp' } });
  const exitCode = await runCli(words, io);
  return { exitCode, stdout: stdout(), stderr: stderr() };
}

it.each(commands.map((command) => [command.path.join(' '), command] as const))(
  'has examples for "%s" that parse',
  (_, command) => {
    const { io } = captureIo();
    for (const example of command.examples) {
      const line = /agentp ([^)>|]*)/.exec(example)?.[1] ?? '';
      const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
      expect(words.slice(0, command.path.length)).toEqual(command.path);
      expect(parseCommandLine(words, io, catalogue).kind).toBe('work');
    }
  },
);

it.each(commands.map((command) => [command.path.join(' '), command] as const))(
  'helps with "%s", with an example',
  async (_, command) => {
    const { exitCode, stdout, stderr } = await run([...command.path, '--help']);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const [first, ...rest] = stdout.replaceAll(/(?<=\S)\n(?=\S)/g, ' ').split('\n');
    expect(first?.toLowerCase()).toBe(`${command.summary.toLowerCase()}.`);
    expect(rest.join('\n')).toContain(`Effect: ${command.effect}: `);
    expect(rest.join('\n')).toContain(`Repeat: ${command.repeat}: `);
    expect(stdout).toContain(`Usage: agentp ${command.path.join(' ')}`);
    expect(stdout).toContain(`$ ${command.examples[0]}`);
    expect(stdout).toContain('--base-url');
  },
);

it('groups the commands in a main help of 60 lines, also for an empty command line on a terminal', async () => {
  const asked = await run(['--help'], { isTerminal: true });

  expect(asked.stdout).toMatch(/\n\nOrders and credits:\n {2}wallet .*\n {2}orders /);
  expect(asked.stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  expect(Math.max(...asked.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  for (const { path } of commands) expect(asked.stdout).toContain(`\n  ${path[0]} `);
  expect(await run([], { isTerminal: true })).toEqual(asked);
});

it.each([
  ['exit-codes', /\n {2}0 {4}done\n.*\n {2}13 {3}a wait ended/s],
  ['environment', /\n {2}AGENTP_HOME {8}the folder of profiles/],
  ['options', /\n {2}--base-url <url> .*\n {2}--input-schema /s],
])('explains %s as a help topic', async (topic, text) => {
  expect(await run(['help', topic])).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(text) });
  expect((await run(['--help'])).stdout).toContain(`agentp help ${topic} `);
});

it('wraps every help on a narrow terminal, and leaves the examples whole', async () => {
  for (const path of [[], ['orders'], ...commands.map((command) => command.path)]) {
    const { stdout } = await run([...path, '--help'], { isTerminal: true, columns: 60 });
    const wide = stdout.split('\n').filter((line) => line.length > 60 && !line.startsWith('  $ '));
    expect(wide, path.join(' ')).toEqual([]);
  }
});

it.each([
  [['orders', 'create', '--titel', 'x'], /Unknown option '--titel'.*Did you mean --title\?/s],
  [['orders', 'create', '--title', 'x'], /Required option '--\w.*' not specified/],
  [['register', '--handel', 'x'], /Unknown option '--handel'.*Did you mean --handle\?/s],
])('%j is refused for its misspelt option before its missing one', async (words, reason) => {
  expect(await run(words)).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(reason) });
});

it('refuses an empty command line of a program', async () => {
  const { exitCode, stdout, stderr } = await run([]);

  expect(exitCode).toBe(2);
  expect(JSON.parse(stdout).error).toMatchObject({ code: 'usage', retryable: false, hint: 'See agentp --help' });
  expect(stderr).toMatch(/^agentp: "agentp" needs a command: register, /);
});

it('prints its version', async () => {
  expect(await run(['--version'])).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

it.each([
  [['me', 'shwo'], "Unknown command 'shwo'", 'Did you mean show? See agentp me --help'],
  [['profile', 'list'], "Unknown command 'profile'", 'Did you mean profiles? See agentp --help'],
  [['me', 'show', '--jsn'], "Unknown option '--jsn'", 'Did you mean --json? See agentp me show --help'],
  [['me'], '"agentp me" needs a command: show, update.', 'See agentp me --help'],
  [['me', 'show', 'extra'], /Too many arguments/, 'See agentp me show --help'],
  [['me', 'show', '--json', '--text'], /cannot be used with/, 'See agentp --help'],
  [['profiles', 'use'], "Missing required argument 'profile'", 'See agentp profiles use --help'],
])('names the error of %j, and the next step', async (words, message, hint) => {
  const { exitCode, stdout } = await run(words);

  expect(exitCode).toBe(2);
  expect(JSON.parse(stdout).error).toEqual({
    code: 'usage',
    message: message instanceof RegExp ? expect.stringMatching(message) : message,
    retryable: false,
    hint,
  });
});

it('does not repeat a secret from the command line', async () => {
  const token = `apt_${'s'.repeat(43)}`;
  for (const words of [
    ['whoami', `--token=${token}`],
    ['whoami', token],
    ['register', '--invitation=s3cret'],
  ]) {
    const { exitCode, stdout, stderr } = await run(words);
    expect(exitCode).toBe(2);
    expect(stdout + stderr).not.toMatch(/ssss|s3cret/);
  }
});

it('accepts global options before, between and after the words of a command', () => {
  const { io } = captureIo();
  for (const words of [
    ['--timeout', '2', 'me', 'show'],
    ['me', '--timeout', '2', 'show'],
    ['me', 'show', '--timeout=2'],
  ]) {
    expect(parseCommandLine(words, io, catalogue)).toMatchObject({ options: { timeoutMs: 2000 } });
  }
});

it('prefers the command line to the environment', () => {
  const { io } = captureIo({ env: { AGENTP_BASE_URL: 'http://env', AGENTP_PROFILE: 'env' } });

  expect(parseCommandLine(['whoami'], io, catalogue)).toMatchObject({
    options: { baseUrl: 'http://env', profile: 'env' },
  });
  expect(parseCommandLine(['whoami', '--base-url', 'http://own', '--profile', 'own'], io, catalogue)).toMatchObject({
    options: { baseUrl: 'http://own', profile: 'own' },
  });
});
