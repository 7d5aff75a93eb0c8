import { surface } from '@agent-platform/cli-core/surface/surface';
import { isMutatingMethod, operations } from '@agent-platform/contract';
import { expect, it } from 'vitest';

const all = surface.commands.map((command) => [command.command, command] as const);
const known = new Map<string, (typeof operations)[number]>(operations.map((operation) => [operation.id, operation]));
const keys = ['operation-id', 'message-id', 'upload-id'];

it.each(all)('gives "%s" an effect and a repeat class that fit its operations', (_, command) => {
  const called = command.operations.map((id) => known.get(id));
  const mayChange = called.some((one) => one !== undefined && isMutatingMethod(one.method) && one.repeat !== 'safe');

  expect(called).not.toContain(undefined);
  if (command.effect === 'read') expect(mayChange).toBe(false);
  if (called.length > 0 && !mayChange) expect(['read', 'write']).toContain(command.effect);
  expect(command.repeat === 'safe').toBe(command.effect === 'read');
  if (called[0]?.repeat === 'never') expect(command.repeat).toBe('never');
  expect(command.repeat === 'with-key').toBe(keys.some((key) => key in command.in.properties));
});

it('uses the schemas of the contract for arguments', () => {
  const create = surface.commands.find(({ command }) => command === 'orders create');
  const show = surface.commands.find(({ command }) => command === 'orders show');

  expect(create?.in.properties['title']).toMatchObject({ type: 'string', minLength: 1, maxLength: 160 });
  expect(create?.in.properties['confirm-total-minor']).toMatchObject({ type: 'integer', minimum: 0 });
  expect(create?.in.properties['deadline']).not.toHaveProperty('format');
  expect(show?.in.properties['id']).toMatchObject({ format: 'uuid' });
});

it('derives the exit codes from the errors of the operations', () => {
  const codesOf = (name: string) => surface.commands.find(({ command }) => command === name)?.exit_codes;

  expect(codesOf('posts show')).toEqual([0, 1, 2, 3, 4, 6, 7, 8, 130]);
  expect(codesOf('orders accept')).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 130]);
  expect(codesOf('profiles list')).toEqual([0, 1, 2, 130]);
});

it('gives every list of the server and of the inbox --limit and --all, and has_more in its data', () => {
  const local = ['profiles list', 'config list', 'approvals list'];
  const lists = surface.commands.filter(({ command }) => / (list|history)$/.test(command) && !local.includes(command));

  expect(lists).toHaveLength(7);
  for (const { in: input, out } of lists) {
    expect(Object.keys(input.properties)).toEqual(expect.arrayContaining(['limit', 'all']));
    expect(out?.required).toContain('has_more');
  }
});
