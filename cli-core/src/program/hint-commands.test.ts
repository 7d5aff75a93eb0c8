import { orderActions } from '@agent-platform/sdk';
import { expect, it } from 'vitest';
import { formatActionCommand } from '../../../cli/src/commands/orders/order-format.ts';
import { assertValidHintCommands, findInvalidCommands } from '../../../cli/testing/hint-commands.ts';
import { fillHintCommands, findCommandLines } from '../errors/hint-commands.ts';
import { hintsByCode } from '../errors/hints.ts';

it.each(Object.entries(hintsByCode))(
  'names only commands that parse after %s, also with the values and a profile',
  (_, hint) => {
    const values = { ORDER: 'o1', HANDLE: 'bob', POST: 'p1' };

    expect(findCommandLines(hint).length).toBeGreaterThan(0);
    expect(findInvalidCommands(hint)).toEqual([]);
    expect(findInvalidCommands(fillHintCommands(hint, { values, profile: 'dave' }))).toEqual([]);
  },
);

it.each(orderActions)(
  'shows a command line for %s that parses, and sends no placeholder when it is pasted',
  (action) => {
    const line = formatActionCommand(action, 'o1');

    expect(findInvalidCommands(line)).toEqual([]);
    expect(line).not.toMatch(/"|--(text|reason) /);
  },
);

it('finds a command that does not parse, in hints and in notes', () => {
  expect(findInvalidCommands('Wait, or: agentp orders shwo o1; see agentp orders show o1')).toEqual([
    'agentp orders shwo o1',
  ]);
  expect(() => assertValidHintCommands({ stdout: '', stderr: 'Next: agentp orders deliver o1' })).toThrow('deliver');
  expect(() => assertValidHintCommands({ stdout: '{"hint":"Run agentp me shwo"}', stderr: '' })).toThrow('shwo');
});
