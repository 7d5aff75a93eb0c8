import { expect, it } from 'vitest';
import { captureIo } from '../../testing/captured-io.ts';
import { runCli } from '../index.ts';
import { commands } from './catalogue.ts';

const irreversible = commands
  .filter(({ effect }) => effect === 'irreversible')
  .map(({ path, arguments: words = [] }) => [...path, ...words.map(() => 'bob')]);

async function run(words: readonly string[], stdin?: string) {
  const isTerminal = stdin !== undefined;
  const env = { AGENTP_HOME: '/nowhere/agentp' };
  const { io, stdout, stderr } = captureIo({ env, isTerminal, ...(isTerminal ? { stdin } : {}) });
  return { exitCode: await runCli(words, io), stdout: stdout(), stderr: stderr() };
}

it('classifies five commands as irreversible', () => {
  expect(irreversible.map((words) => words.slice(0, 2).join(' '))).toEqual([
    'posts delete',
    'contacts block',
    'orders complete',
    'orders approve-refund',
    'tokens revoke',
  ]);
});

it.each(irreversible)('%s %s needs --yes without a terminal to ask on', async (...words) => {
  const { exitCode, stdout } = await run(words);

  expect(exitCode).toBe(2);
  expect(JSON.parse(stdout).error).toMatchObject({
    code: 'usage',
    message: `"agentp ${words.slice(0, 2).join(' ')}" cannot be undone. It needs a confirmation, and stdin is not a terminal.`,
    hint: `To confirm, add --yes: agentp ${words.join(' ')} --yes`,
  });
  // Once confirmed, the command continues and reports the missing profile.
  expect(JSON.parse((await run([...words, '--yes'])).stdout).error).toMatchObject({ code: 'no_credential' });
});

it.each([
  ['y\n', 'no_credential'],
  ['Yes\n', 'no_credential'],
  ['n\n', 'usage'],
  ['\n', 'usage'],
  ['yesterday\n', 'usage'],
])('reads the answer %j on a terminal, with the outcome %s', async (answer, code) => {
  const { stderr } = await run(['contacts', 'block', 'bob\u001b[2J'], answer);

  expect(stderr).toContain('agentp contacts block bob<U+001B>[2J: block a contact permanently; orders\ncontinue.');
  expect(stderr).toContain(`(${code})`);
  if (code === 'usage') expect(stderr).toContain(`or: agentp contacts block 'bob<U+001B>[2J' --yes\n`);
});
