import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Machine, type ReferenceServer, setUpMachine, startReferenceServer } from '../../../testing/agentp.ts';
import { makeFriends } from '../../../testing/friends.ts';

let server: ReferenceServer;
let machine: Machine;
const asAlice = ['--profile', 'alice'];
const asBob = ['--profile', 'bob'];
const terms = ['--title', 'x', '--deadline', '1h', '--amount'];

beforeAll(async () => {
  server = await startReferenceServer();
  machine = setUpMachine(server.url);
  await makeFriends(machine, server, ['alice', 'bob']);
});
afterAll(() => server.stop());

it('reports that an offer beyond the balance can be made but not accepted', async () => {
  const create = ['orders', 'create', '--contractor', 'bob', ...terms];
  const beyond = [...create, '100', '--confirm-total', '110', '--dry-run', ...asAlice];

  expect(await machine.data(beyond)).toMatchObject({
    would_succeed: true,
    warnings: [
      {
        code: 'insufficient_funds',
        message: 'Your wallet has only 100.00 credits: the order can be offered but not accepted.',
      },
    ],
  });
  expect((await machine.runOnTerminal(beyond)).stdout).toMatch(/outcome +would be accepted\n +but +Your wallet has/);
  expect(await machine.error([...create, '10', '--confirm-total', '12', ...asAlice])).toMatchObject({
    code: 'price_changed',
    hint: 'To confirm the price: --confirm-total 11.00; see agentp orders create --help',
  });
  const within = [...create, '10', '--confirm-total', '11', '--dry-run', ...asAlice];
  expect(await machine.data(within)).toMatchObject({ would_succeed: true, warnings: [] });
});

it('reports to the contractor that the balance of the customer is unknown', async () => {
  const unknown = { would_succeed: true, warnings: [{ code: 'funds_unknown' }] };
  expect(
    await machine.data(['orders', 'create', '--customer', 'alice', ...terms, '1', '--dry-run', ...asBob]),
  ).toMatchObject(unknown);
  const offer = ['orders', 'create', '--contractor', 'bob', ...terms, '100', '--confirm-total', '110', ...asAlice];
  const id = String((await machine.data(offer))['id']);

  expect(await machine.data(['orders', 'accept', id, '--dry-run', ...asBob])).toMatchObject(unknown);
  expect(await machine.error(['orders', 'accept', id, ...asBob])).toMatchObject({
    code: 'insufficient_funds',
    hint: `The customer, alice, lacks credits. Wait and repeat the command, or: agentp orders reject ${id} --profile bob`,
  });
  expect(await machine.error(['orders', 'accept', id, '--expected-version', '9', ...asBob])).toMatchObject({
    code: 'version_conflict',
    hint: `The order has changed. Read it again before you decide: agentp orders show ${id} --profile bob`,
  });
  const shown = await machine.runOnTerminal(['orders', 'show', id, ...asBob]);
  expect(shown.stdout).toContain(`\n  agentp orders accept ${id} --profile bob\n`);
  expect(await machine.error(['orders', 'start', id, ...asAlice])).toMatchObject({
    message: expect.not.stringContaining('GET '),
    hint: expect.stringMatching(/^start is only for the contractor; you are the customer\. .* it is the turn of bob: /),
  });
});
