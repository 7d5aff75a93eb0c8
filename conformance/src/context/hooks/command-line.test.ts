import { describe, expect, it } from 'vitest';
import { fillPlaceholders, placeholdersOf, splitCommand } from './command-line.ts';

describe('a command', () => {
  it.each([
    ['grant  {bot_id}\t{amount_minor} ', ['grant', '{bot_id}', '{amount_minor}']],
    [`sh -c 'grant "$1"' x`, ['sh', '-c', 'grant "$1"', 'x']],
    ['"/my programs/grant" --note "of \\"me\\""', ['/my programs/grant', '--note', 'of "me"']],
    ["a'b c'd", ['ab cd']],
    ["grant '' end", ['grant', '', 'end']],
    ['my\\ grant', ['my grant']],
    ["'a\\b'", ['a\\b']],
    ['a $HOME * | b > c', ['a', '$HOME', '*', '|', 'b', '>', 'c']],
    ['  ', []],
  ])('is split like in a shell, without running anything: %s', (command, words) => {
    expect(splitCommand(command)).toEqual(words);
  });

  it.each(['grant "x', "grant 'x"])('is invalid if a quote is never closed: %s', (command) => {
    expect(splitCommand(command)).toBeUndefined();
  });

  it('keeps an inserted value in one word', () => {
    const words = splitCommand('grant --to={bot_id} {amount_minor} {other} {bot_id}') ?? [];

    expect(placeholdersOf(words)).toEqual(['bot_id', 'amount_minor', 'other']);
    expect(fillPlaceholders(words, { bot_id: 'a b; c', amount_minor: '$& 4' })).toEqual([
      ...['grant', '--to=a b; c', '$& 4', '{other}', 'a b; c'],
    ]);
  });
});
