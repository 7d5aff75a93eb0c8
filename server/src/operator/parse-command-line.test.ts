import { describe, expect, it } from 'vitest';
import { allCommands } from './commands/all-commands.ts';
import { doctorHelpEntry } from './doctor.ts';
import { parseCommandLine } from './parse-command-line.ts';

function parse(...argv: string[]) {
  let out = '';
  let err = '';
  const parsed = parseCommandLine(argv, [...allCommands, doctorHelpEntry], {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { parsed, out, err };
}

const all = [...allCommands, doctorHelpEntry].map(({ name }) => name);

describe('a command line of the operator', () => {
  it('names a command, its arguments and its form', () => {
    expect(parse('agents', 'list', '--limit', '5', '--after', 'alice', '--json').parsed).toEqual({
      invocation: { command: 'agents list', args: { limit: 5, after: 'alice' }, json: true },
    });
    expect(parse('agents', 'suspend', 'alice').parsed).toEqual({
      invocation: { command: 'agents suspend', args: { agents: ['alice'] }, json: false },
    });
  });

  it('shows the registration when it says nothing else of it', () => {
    expect(parse('registration', '--json').parsed).toEqual({
      invocation: { command: 'registration show', args: {}, json: true },
    });
  });

  it('leaves a number that is none to the command, which knows what it means', () => {
    expect(parse('invitations', 'create', '--uses', '1e3').parsed).toMatchObject({
      invocation: { args: { uses: '1e3' } },
    });
  });

  it.each(all)('%s has --help and --json', (name) => {
    const { parsed, out } = parse(...name.split(' '), '--help');

    expect(parsed).toEqual({ exitCode: 0 });
    expect(out).toContain('--json');
  });

  it.each([
    ['nothing at all', []],
    ['an unknown noun', ['bots']],
    ['an unknown verb', ['agents', 'delete']],
    ['an unknown verb where there is a default', ['registration', 'shut']],
    ['a missing argument', ['agents', 'show']],
    ['one argument too many', ['agents', 'show', 'alice', 'bob']],
    ['an unknown option', ['agents', 'list', '--all']],
    ['an option without its value', ['agents', 'list', '--limit']],
  ])('ends with 2 and a hint for %s', (_, argv) => {
    const { parsed, out, err } = parse(...argv);

    expect(parsed).toEqual({ exitCode: 2 });
    expect(out).toBe('');
    expect(err).toMatch(/--help/);
  });
});
