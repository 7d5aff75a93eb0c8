import { readFile, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { startProgram } from '@agent-platform/testing';
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { mcpMainFile, startPlatform, type TestPlatform } from '../testing/agents.ts';
import { callOk, confirmingPerson, type Json, makeClient, type ProtocolEra, transcript } from '../testing/connect.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

type Start = (profile: string, era: ProtocolEra) => Promise<Client>;

const overStdio: Start = async (profile, era) => {
  const client = makeClient(era, confirmingPerson);
  onTestFinished(() => client.close());
  const args = [mcpMainFile, '--profile', profile];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env: platform.env, stderr: 'pipe' }),
  );
  return client;
};

const overHttp: Start = async (profile, era) => {
  const client = makeClient(era, confirmingPerson);
  const { url, bearer } = await startHttp(profile);
  await refusesForeigners(url, bearer);
  onTestFinished(() => client.close());
  const requestInit = { headers: { authorization: `Bearer ${bearer}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
};

/** The output of the programs, and the results of tool calls. */
const said = transcript;

async function secretsOf(...profiles: readonly string[]): Promise<readonly string[]> {
  const files = profiles.map((name) => readFile(join(platform.home, 'profiles', `${name}.json`), 'utf8'));
  const secrets = (await Promise.all(files)).flatMap((file) => {
    const { token, encryption_secret_key } = JSON.parse(file);
    return [String(token), String(encryption_secret_key)];
  });
  expect(secrets.every((secret) => secret.length > 40)).toBe(true);
  return secrets;
}

async function startHttp(profile: string) {
  const args = [mcpMainFile, '--profile', profile, '--http', '0'];
  const program = startProgram(process.execPath, args, { env: platform.env });
  onTestFinished(async () => {
    program.kill('SIGTERM');
    expect(await program.ended).toBe(0);
    expect(program.written.stdout).toBe('');
    expect(program.written.stderr).not.toContain(bearer);
  });
  let bearer = 'unknown';
  const [, url = '', file = ''] = await vi.waitFor(
    () => {
      const found = /on (http:\S+); the bearer token is in (.+)\n/.exec(program.written.stderr);
      if (found === null) throw new Error(program.written.stderr);
      return found;
    },
    { timeout: 120_000, interval: 50 },
  );
  bearer = (await readFile(file, 'utf8')).trim();
  expect((await stat(file)).mode & 0o077).toBe(0);
  return { url, bearer };
}

async function refusesForeigners(url: string, bearer: string): Promise<void> {
  const authorization = `Bearer ${bearer}`;
  const statusOf = (headers: Record<string, string>) =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } });
      sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
      sent.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    });
  expect(await statusOf({})).toBe(401);
  expect(await statusOf({ authorization: 'Bearer another' })).toBe(401);
  expect(await statusOf({ authorization, host: 'evil.example' })).toBe(403);
  expect(await statusOf({ authorization, origin: 'https://evil.example' })).toBe(403);
}

async function nextEvent(client: Client, kind: string): Promise<Json> {
  for (;;) {
    const { events, lease_id, untrusted } = await callOk(client, 'events_next', { wait_seconds: 20 });
    await callOk(client, 'events_done', { lease_id });
    const found = [...Object(events)].find((event) => event.kind === kind);
    if (found !== undefined) return { ...found, untrusted };
  }
}

it.each([
  ['stdio', overStdio, 'modern', 'legacy'],
  ['HTTP', overHttp, 'legacy', 'modern'],
] as const)(
  'two agents befriend, talk, order, deliver and pay by tools over %s',
  async (transport, start, one, other) => {
    const [anna, bert] = [`anna_${transport.toLowerCase()}`, `bert_${transport.toLowerCase()}`];
    await platform.register(anna, 10_000);
    await platform.register(bert);
    const [customer, contractor] = await Promise.all([start(anna, one), start(bert, other)]);
    expect([customer.getProtocolEra(), contractor.getProtocolEra()]).toEqual([one, other]);

    await callOk(contractor, 'me_update', { profile_public: true, specialty: `charts ${transport}` });
    const { agents } = await callOk(customer, 'agents_search', { specialty: `charts ${transport}` });
    expect(agents).toMatchObject([{ handle: bert, next: [{ tool: 'contacts_request' }] }]);
    await callOk(customer, 'contacts_request', { agent: bert });
    expect(await nextEvent(contractor, 'contact.requested')).toMatchObject({ contact: { peer: { handle: anna } } });
    expect(await callOk(contractor, 'contacts_accept', { agent: anna })).toMatchObject({
      contact: { status: 'friends' },
    });
    await callOk(customer, 'messages_send', { agent: bert, text: 'A chart of the reef, please.' });
    expect(await nextEvent(contractor, 'message.created')).toMatchObject({
      untrusted: { texts: { '/events/0/message/text': 'A chart of the reef, please.' } },
    });
    const terms = { title: 'A chart', deadline: new Date(Date.now() + 86_400_000).toISOString(), amount_minor: 1_000 };
    const offer = Object((await callOk(contractor, 'orders_create', { ...terms, customer_id: anna }))['order']);
    const accepted = await callOk(customer, 'orders_accept', { order_id: offer.id, expected_version: 1 });
    expect(accepted).toMatchObject({ order: { state: 'funded', total_minor: 1_100 } });
    await callOk(contractor, 'orders_start', { order_id: offer.id, expected_version: 2 });
    await callOk(contractor, 'orders_deliver', {
      order_id: offer.id,
      expected_version: 3,
      result_text: 'Here it is.',
    });
    const paid = await callOk(customer, 'orders_complete', { order_id: offer.id, expected_version: 4 });

    expect(paid).toMatchObject({ order: { state: 'closed', outcome: 'accepted' }, next: [] });
    expect(await callOk(contractor, 'wallet_show')).toMatchObject({ wallet: { available_minor: 1_000 } });
    for (const secret of await secretsOf(anna, bert)) expect(said.join('\n').includes(secret)).toBe(false);
  },
);
