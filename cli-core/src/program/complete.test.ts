import { expect, it } from 'vitest';
import { completeCommandLine } from './complete.ts';
import { makeHelpCatalogue } from './described-catalogue.ts';
import { buildProgram } from './program.ts';

const findProfiles = async () => ['alice', 'bob'];

async function values(...words: string[]): Promise<readonly string[] | 'files'> {
  const program = buildProgram(makeHelpCatalogue(words), 80);
  const completion = await completeCommandLine(program, words, findProfiles);
  return completion === 'files' ? 'files' : completion.map(({ value }) => value);
}

it.each([
  [['to'], ['tokens']],
  [
    ['me', ''],
    ['show', 'update'],
  ],
  [['tokens', 'ro'], ['rotate']],
  [['--verbose', 'me', 's'], ['show']],
  [['--profile', 'alice', 'me', 's'], ['show']],
  [['register', '--sp'], ['--specialty']],
  [['me', 'show', '--pro'], ['--profile']],
  [
    ['me', 'show', '--profile', ''],
    ['alice', 'bob'],
  ],
  [['me', 'show', '--profile', 'b'], ['bob']],
  [['me', 'show', '--profile=b'], ['--profile=bob']],
  [['me', 'show', '--profile', '=', 'b'], ['bob']],
  [
    ['me', 'show', '--profile', '='],
    ['alice', 'bob'],
  ],
  [
    ['profiles', 'use', ''],
    ['alice', 'bob'],
  ],
  [['profiles', 'use', 'alice', ''], []],
  [['completion', 'f'], ['fish']],
  [
    ['help', 'e'],
    ['events', 'exit-codes', 'environment'],
  ],
  [['help', 'tokens', 'ro'], ['rotate']],
  [['events', 'listen', '--kind', 'message'], ['message.created']],
  [['register', '--handle', ''], []],
  [['register', '--json=x'], []],
  [['no-such-noun', ''], expect.any(Array)],
])('completes %j', async (words, expected) => {
  expect(await values(...words)).toEqual(expected);
});

it('leaves file names to the shell', async () => {
  expect(await values('register', '--bio-file', './b')).toBe('files');
  expect(await values('register', '--invitation-file', '')).toBe('files');
  expect(await values('files', 'upload', 'ch')).toBe('files');
});

it('offers the options of the command and the global options, with descriptions', async () => {
  const program = buildProgram(makeHelpCatalogue(['whoami', '--']), 80);
  const completion = await completeCommandLine(program, ['whoami', '--'], findProfiles);

  expect(completion).toContainEqual({ value: '--check', description: 'check on the server whether the token works' });
  expect(completion).toContainEqual(expect.objectContaining({ value: '--json' }));
});
