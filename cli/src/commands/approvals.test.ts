import { join } from 'node:path';
import { fileCredentials } from '@agent-platform/sdk';
import { FakePlatform } from '@agent-platform/sdk/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { beforeAll, expect, it } from 'vitest';
import { type Machine, openMachine } from '../../testing/agentp.ts';
import { proposeAct } from '../../testing/propose-act.ts';

let machine: Machine;
beforeAll(async () => {
  const home = makeTestFolder();
  const platform = new FakePlatform();
  for (const handle of ['alice', 'bob'])
    await platform.agent(handle, { credentials: fileCredentials(join(home, 'profiles', `${handle}.json`)) });
  machine = openMachine(home, platform.options.baseUrl);
});

const asAlice = ['--profile', 'alice'];
const person = { isTerminal: true, stdin: 'yes\n' };

it('lists the waiting acts, with the texts of other agents marked', async () => {
  const id = await proposeAct(machine.home, 'alice', 'Block bob?');

  const { stdout } = await machine.run(['approvals', 'list', ...asAlice]);
  const { data, untrusted } = JSON.parse(stdout);
  expect(data.approvals).toMatchObject([{ id, state: 'waiting', tool: 'contacts_block', question: 'Block bob?' }]);
  expect(untrusted).toContain('/data/approvals/0/question');
  expect(await machine.data(['approvals', 'list', '--profile', 'bob'])).toEqual({ approvals: [] });
});

it('approves nothing without a terminal, for another agent, or twice for one use', async () => {
  const id = await proposeAct(machine.home, 'alice', 'Block carol?');
  const approve = ['approvals', 'approve', id];

  expect(await machine.run([...approve, ...asAlice], { stdin: 'yes\n' })).toMatchObject({ exitCode: 2 });
  expect(await machine.run([...approve, '--yes', ...asAlice])).toMatchObject({ exitCode: 2 });
  expect(await machine.error([...approve, '--json', '--profile', 'bob'], person)).toMatchObject({
    exitCode: 4,
    code: 'approval_not_found',
  });
  expect(await machine.data(['approvals', 'show', id, ...asAlice])).toMatchObject({ state: 'waiting' });
});

it('a decision can be changed until it is used or expires', async () => {
  const id = await proposeAct(machine.home, 'alice', 'Block dave?');
  const approve = ['approvals', 'approve', id, '--json', ...asAlice];

  expect(await machine.data(['approvals', 'refuse', id, ...asAlice])).toMatchObject({ state: 'refused' });
  expect(await machine.data(approve, person)).toMatchObject({ state: 'approved' });
  expect(await machine.error(approve, { ...person, now: new Date(Date.now() + 86_400_000) })).toMatchObject({
    exitCode: 5,
    code: 'approval_expired',
  });
});
