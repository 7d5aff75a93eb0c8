import { join } from 'node:path';
import { fileCredentials, generateKeyPair } from '@agent-platform/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Machine, setUpMachine } from '../../../cli/testing/agentp.ts';
import { type StubServer, startFaultyServer } from '../../../cli/testing/stub-server.ts';
import { findIdPath } from '../output/ids.ts';
import { surface } from '../surface/surface.ts';

let server: StubServer;
let machine: Machine;
const ids = ['01a1fdff-c0dc-7093-b041-e5d4cac41340', '01a1fdff-c0dc-7093-b041-e5d4cac41341'];
const token = `apt_${'t'.repeat(43)}`;

/** A server with a registration and two contacts, whose names contain control characters. */
beforeAll(async () => {
  server = await startFaultyServer((response, { url = '' }) => {
    response.setHeader('content-type', 'application/json');
    if (url.startsWith('/api/v1/bots/register')) {
      response.writeHead(403);
      response.end(JSON.stringify({ error: { code: 'invalid_invitation', message: `Not ${token}.` }, token }));
      return;
    }
    const contacts = ids.map((contact_id, index) => ({
      contact_id,
      status: 'friends',
      peer: { id: contact_id, handle: `bob${index}`, display_name: '\u001b[2J' },
      created_at: '2026-11-21T00:00:00Z',
    }));
    response.end(JSON.stringify({ contacts, next_before: ids[1] }));
  });
  machine = setUpMachine(server.url);
  const { publicKey, secretKey } = generateKeyPair();
  await fileCredentials(join(machine.home, 'profiles', 'alice.json')).save({
    origin: server.url,
    bot_id: '01a1fdff-c0dc-7093-b041-e5d4cac41300',
    handle: 'alice',
    token,
    token_expires_at: null,
    encryption_public_key: publicKey,
    encryption_secret_key: secretKey,
  });
});
afterAll(() => server.close());

// The server always names a next page, but with this limit the first page is enough.
const list = ['contacts', 'list', '--limit', String(ids.length)];

it('prints only ids with --ids-only, for every command whose data contains ids', async () => {
  expect(await machine.run([...list, '--ids-only'])).toEqual({
    exitCode: 0,
    stdout: `${ids.join('\n')}\n`,
    stderr: '',
  });

  const paths = surface.commands.map(({ command, out }) => [command, out && findIdPath(out, surface.$defs)?.join('.')]);
  expect(Object.fromEntries(paths)).toMatchObject({
    register: 'bot.id',
    'bots show': 'id',
    'posts list': 'posts.id',
    'contacts block': 'contact_id',
    'messages list': 'messages.id',
    'messages resume': 'messages.client_message_id',
    'events list': 'events.event.event_id',
    'events next': 'event.event_id',
    'wallet history': 'entries.transaction_id',
    'wallet show': undefined,
    'orders create': 'id',
    'orders list': 'orders.id',
    'orders show': 'order.id',
    'orders resume': 'resumed.operation_id',
  });
  expect(await machine.run(['wallet', 'show', '--ids-only'])).toMatchObject({ exitCode: 2, stdout: '' });
});

it('prints no notes with --quiet, but still asks for confirmation', async () => {
  expect((await machine.runOnTerminal(list)).stderr).toContain('More entries:');
  expect((await machine.runOnTerminal([...list, '--quiet'])).stderr).toBe('');
  expect((await machine.runOnTerminal(['contacts', 'block', 'bob0', '--quiet'], { stdin: 'no\n' })).stderr).toContain(
    'agentp contacts block bob0: block a contact permanently; orders continue. This\ncannot be undone.\nType yes to confirm: ',
  );
});

it('refuses to act as an agent other than the expected one', async () => {
  const before = server.requests.length;
  expect(await machine.error([...list, '--expect-identity', 'bob'])).toMatchObject({
    exitCode: 2,
    code: 'identity_mismatch',
    message: 'The profile "alice" acts as "alice", not as "bob"; nothing was sent.',
  });
  expect(server.requests).toHaveLength(before);
  for (const name of ['Alice', '01a1fdff-c0dc-7093-b041-e5d4cac41300']) {
    expect((await machine.run([...list, '--expect-identity', name])).exitCode).toBe(0);
  }
});

it('traces exchanges on stderr, without secrets', async () => {
  const traced = await machine.run([...list, '--trace', '--ids-only']);
  expect(traced.stdout).toBe(`${ids.join('\n')}\n`);
  expect(traced.stderr).toMatch(/^> GET http:\S+\/api\/v1\/contacts\n/);
  expect(traced.stderr).toMatch(/\n> authorization: \[hidden\]\n/);
  expect(traced.stderr).toMatch(/\n< 200 in \d+ ms\n(?:< .*\n)*< content-type: application\/json\n/);
  expect(traced.stderr).toContain('\n< {"contacts":[{"contact_id":');

  const words = ['register', '--handle', 'carol', '--display-name', 'Carol', '--trace'];
  const { stderr } = await machine.run(words, { env: { AGENTP_INVITATION: 's3cret-invitation' } });
  expect(stderr).toContain('"handle":"carol"');
  expect(stderr).toContain('"invitation":"[hidden]"');
  expect(stderr).toContain('"message":"Not apt_[hidden]."},"token":"[hidden]"}');
  expect(traced.stderr + stderr).not.toMatch(/s3cret|apt_t/);
});
