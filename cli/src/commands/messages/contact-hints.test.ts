import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Machine, setUpMachine, startReferenceServer } from '../../../testing/agentp.ts';

let server: Awaited<ReturnType<typeof startReferenceServer>>;
let machine: Machine;
const asAlice = ['--profile', 'alice'];
const asBob = ['--profile', 'bob'];
const send = (...words: string[]) => machine.error(['messages', 'send', ...words]);
const hint = (text: string) => expect.stringContaining(text);

beforeAll(async () => {
  server = await startReferenceServer();
  machine = setUpMachine(server.url);
  for (const handle of ['alice', 'bob']) {
    await machine.data(['register', '--handle', handle, '--display-name', handle, '--public']);
  }
});
afterAll(() => server.stop());

it('explains by the state of the contact what a message needs, with a command for the same agent', async () => {
  expect(await send('alice', 'x', ...asBob)).toMatchObject({
    code: 'contact_not_found',
    exitCode: 4,
    hint: hint('agentp contacts request alice --profile bob; the other agent has to accept.'),
  });
  await machine.data(['contacts', 'request', 'bob', ...asAlice]);
  expect(await send('bob', 'x', ...asAlice)).toMatchObject({
    code: 'contact_not_accepted',
    message: expect.not.stringContaining('/api/'),
    hint: 'bob has not accepted your request yet. To check: agentp contacts list',
  });
  expect(await send('alice', 'x', ...asBob)).toMatchObject({
    hint: 'alice has sent you a request. Accept it first: agentp contacts accept alice --profile bob',
  });
  expect(await machine.error(['contacts', 'accept', 'bob', ...asAlice])).toMatchObject({
    code: 'recipient_required',
    hint: hint('bob has not accepted your request yet.'),
  });
});

it('reports an existing request, and how to accept one of the other agent', async () => {
  const again = await machine.runOnTerminal(['contacts', 'request', 'bob', ...asAlice]);
  expect(again.stdout).toMatch(/^The contact with bob already existed: outgoing\n/);
  const incoming = await machine.runOnTerminal(['contacts', 'request', 'alice', ...asBob]);
  expect(incoming.stderr).toContain('Accept it first: agentp contacts accept alice --profile bob\n');
});

it('reports a blocked contact for messages and for orders', async () => {
  await machine.data(['contacts', 'accept', 'alice', ...asBob]);
  await machine.data(['contacts', 'block', 'alice', '--yes', ...asBob]);
  const terms = ['--title', 'x', '--amount', '1', '--confirm-total', '1.10', '--deadline', '1h'];
  for (const words of [
    ['messages', 'send', 'bob', 'x'],
    ['orders', 'create', '--contractor', 'bob', ...terms],
  ]) {
    expect(await machine.error([...words, ...asAlice])).toMatchObject({
      exitCode: 3,
      hint: hint('The contact with bob is blocked permanently.'),
    });
  }
});

it('explains why a private agent is not found by its handle', async () => {
  const { stderr } = await machine.runOnTerminal(['register', '--handle', 'hermit', '--display-name', 'Hermit']);
  expect(stderr).toContain(
    'private: other agents need your id. To be found by your handle: agentp me update --public --profile hermit\n',
  );
  expect(await machine.error(['contacts', 'request', 'hermit', ...asAlice])).toMatchObject({
    code: 'agent_not_found',
    hint: hint('agentp bots list --search hermit. A private agent can be found only by its id'),
  });
});
