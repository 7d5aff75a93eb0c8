import { startLoadAdjustedTimer } from '@agent-platform/testing/quiet-time';
import { describe, expect, it } from 'vitest';
import { connectEvents, type EventClient, waitForCloseCode } from '../../testing/event-client.ts';
import { makeAgentRegistrar } from '../../testing/scenarios/agents.ts';
import { suspendAgent } from '../../testing/scenarios/suspension.ts';
import { sendBytes } from '../../testing/send-bytes.ts';
import {
  day,
  makeRegistration,
  openTestServer,
  type RegisteredAgent,
  useTestServer,
} from '../../testing/test-server.ts';

const path = '/ws/v1/events/';

const server = useTestServer({
  PLATFORM_EVENT_CONNECTIONS: '5',
  PLATFORM_EVENT_CONNECTIONS_PER_ADDRESS: '4',
  PLATFORM_TRUST_PROXY: '127.0.0.1',
});
const { newAgent } = makeAgentRegistrar(server);

const open = (agent: Pick<RegisteredAgent, 'token'> | undefined, at?: string) => connectEvents(server().url, agent, at);
const rotate = (agent: RegisteredAgent) => server().request('POST', '/api/v1/tokens/rotate', { token: agent.token });

async function isOpen(client: EventClient): Promise<boolean> {
  const pong = new Promise((resolve) => client.socket.once('pong', () => resolve(true)));
  client.socket.ping();
  return (await Promise.race([pong, client.ended.then(() => false)])) === true;
}

describe('who connects to the event stream', () => {
  it.each(['?token=x', '?after=1'])('is closed 4400 for a query %s, whatever the token', async (query) => {
    const agent = await newAgent();

    expect(await waitForCloseCode(await open(agent, path + query))).toBe(4400);
    expect(await waitForCloseCode(await open(undefined, path + query))).toBe(4400);
  });

  it('is closed 4401 without a token or with an invalid one', async () => {
    const { token } = await newAgent();
    const wrong = [undefined, { token: 'nonsense' }, { token: `${token}x` }, { token: `apt_${'A'.repeat(43)}` }];

    for (const agent of wrong) expect(await waitForCloseCode(await open(agent))).toBe(4401);
  });

  it('is closed 4401 with a token that has been replaced, and 4403 while suspended', async () => {
    const agent = await newAgent();
    const token = (await rotate(agent)).body['token'] ?? '';
    await suspendAgent(server().store, () => new Date(), agent.handle);

    expect(await waitForCloseCode(await open(agent))).toBe(4401);
    expect(await waitForCloseCode(await open({ token }))).toBe(4403);
  });

  it('has two connections, a third is closed 4429, and a released slot is free immediately', async () => {
    const agent = await newAgent();
    const [one, two] = [await open(agent), await open(agent)];
    await Promise.all([isOpen(one), isOpen(two)]);
    const three = await open(agent);

    expect(await waitForCloseCode(three)).toBe(4429);
    expect(await Promise.all([isOpen(one), isOpen(two)])).toEqual([true, true]);
    await one.close();
    const four = await open(agent);
    expect(await isOpen(four)).toBe(true);
    await Promise.all([two.close(), four.close()]);
  });

  it('is closed 4429 if its address or the server has no free slot', async () => {
    const [ann, bob, cid] = [await newAgent(), await newAgent(), await newAgent()];
    const from = (address: string, agent: RegisteredAgent) =>
      connectEvents(server().url, agent, path, { headers: { 'x-forwarded-for': address } });
    // All addresses are in one IPv6 network.
    const near = [ann, ann, bob, bob].map((agent, index) => from(`2001:db8::${index}`, agent));
    const taken = await Promise.all(near);
    await Promise.all(taken.map(isOpen));

    const refused = await from('2001:db8::9', cid);
    expect(await refused.ended).toEqual({ code: 4429, reason: expect.stringMatching(/^Your address has reached/) });
    const elsewhere = await from('192.0.2.1', cid);
    expect(await isOpen(elsewhere)).toBe(true);
    // All slots are in use, so a new network gets the newest slot of the network with the most slots.
    const last = await from('192.0.2.2', cid);
    expect(await taken[3]?.ended).toEqual({ code: 4429, reason: expect.stringMatching(/^All event connections/) });
    expect(await isOpen(last)).toBe(true);
    const again = await from('2001:db8::3', bob);
    expect(await again.ended).toEqual({ code: 4429, reason: expect.stringMatching(/^The server has reached/) });
    expect(await Promise.all(taken.slice(0, 3).map(isOpen))).toEqual([true, true, true]);
    await Promise.all([...taken, elsewhere, last].map((client) => client.close()));
  });

  it.each([
    [
      'another machine',
      '192.0.2.1',
      { code: 4429, reason: expect.stringMatching(/PLATFORM_EVENT_CONNECTIONS_PER_ADDRESS/) },
    ],
    ['the machine of the server', '127.0.0.1', true],
  ])('from %s may use half of all slots, or all of them, if no limit per address is set', async (_, address, third) => {
    const small = await openTestServer({ PLATFORM_EVENT_CONNECTIONS: '4', PLATFORM_TRUST_PROXY: '127.0.0.1' });
    const agents = [await small.register('ann'), await small.register('bob'), await small.register('cid')];
    const clients = [];
    for (const agent of agents) {
      const client = await connectEvents(small.url, agent, path, { headers: { 'x-forwarded-for': address } });
      clients.push(await Promise.race([isOpen(client), client.ended]));
    }
    expect(clients).toEqual([true, true, third]);
  });

  it('is offered no compression and no subprotocol', async () => {
    const client = await connectEvents(server().url, await newAgent(), path, { perMessageDeflate: true });

    expect({ extensions: client.socket.extensions, protocol: client.socket.protocol }).toEqual({
      extensions: '',
      protocol: '',
    });
    await client.close();
  });

  it('is logged with the close code, and never with the token', async () => {
    const agent = await newAgent();
    await (await open(agent)).close();
    await expect
      .poll(server().logged)
      .toMatch(new RegExp(`"agent":"${agent.id}","code":1005.*"event connection closed"`));

    expect(server().logged()).not.toContain(agent.token);
  });
});

describe('the path of the event stream', () => {
  it('needs its slash', async () => {
    expect((await server().request('GET', '/ws/v1/events')).status).toBe(404);
    await expect(open(await newAgent(), '/ws/v1/events')).rejects.toThrow('404');
  });

  it('refuses a request that is no WebSocket handshake', async () => {
    const answers = await Promise.all(['GET', 'POST', 'DELETE'].map((method) => server().request(method, path)));

    expect(answers.map(({ status, body }) => [status, body['error']?.['code']])).toEqual([
      [400, 'invalid_input'],
      [405, 'method_not_allowed'],
      [405, 'method_not_allowed'],
    ]);
    expect(answers[1]?.headers.get('allow')).toBe('GET, HEAD');
  });

  it.each([
    ['no key', 'sec-websocket-version: 13'],
    ['another version', 'sec-websocket-version: 12\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='],
  ])('answers a handshake with %s in the one format of errors', async (_name, header) => {
    const answer = await sendBytes(
      server().url,
      `GET ${path} HTTP/1.1\r\nhost: a\r\nupgrade: websocket\r\nconnection: upgrade\r\n${header}\r\n\r\n`,
    );

    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/request-id: [0-9a-f-]{36}/);
    expect(answer).toContain('"code":"invalid_input"');
  });

  it('changes nothing for requests that ask for another protocol', async () => {
    const body = JSON.stringify(makeRegistration('upgrading'));
    const head = [
      'POST /api/v1/bots/register HTTP/1.1',
      'host: a',
      'upgrade: h2c',
      'connection: upgrade, close',
      'content-type: application/json',
      `content-length: ${body.length}`,
    ];

    expect(await sendBytes(server().url, `${head.join('\r\n')}\r\n\r\n${body}`)).toMatch(/^HTTP\/1\.1 201 /);
  });
});

describe('a token that ends while connected', () => {
  it.each([
    ['rotated', 'tokens/rotate'],
    ['revoked', 'tokens/revoke'],
  ])('closes its connections 4401 when it is %s, and no other', async (_name, command) => {
    const [agent, other] = [await newAgent(), await newAgent()];
    const clients = [await open(agent), await open(agent)];
    const bystander = await open(other);
    const quietMs = startLoadAdjustedTimer();
    await server().request('POST', `/api/v1/${command}`, { token: agent.token });

    expect(await Promise.all(clients.map(waitForCloseCode))).toEqual([4401, 4401]);
    // The server must close the connection immediately, not during the poll every three seconds.
    expect(quietMs()).toBeLessThan(2_000);
    expect(await isOpen(bystander)).toBe(true);
    await bystander.close();
  });

  it('closes its connections 4403 when the agent is suspended', async () => {
    const agent = await newAgent();
    const client = await open(agent);
    await suspendAgent(server().store, () => new Date(), agent.handle);
    server().app.accessChanged([agent.id]);

    expect(await waitForCloseCode(client)).toBe(4403);
  });

  it('is found by polling without a wake-up', async () => {
    const agent = await newAgent();
    const client = await open(agent);
    await suspendAgent(server().store, () => new Date(), agent.handle);

    expect(await waitForCloseCode(client)).toBe(4403);
  });

  it('closes its connections 4401 when it expires', async () => {
    const client = await open(await newAgent());
    expect(await isOpen(client)).toBe(true);
    server().pass(30 * day);

    expect(await client.ended).toEqual({ code: 4401, reason: 'The token has expired.' });
  });
});

describe('the rate limit for an address', () => {
  it('counts connections too, and closes 4429', async () => {
    const limited = await openTestServer({ PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '3' });
    const agent = await limited.register('agent');
    const codes = [];
    for (let number = 0; number < 4; number += 1) {
      const client = await connectEvents(limited.url, agent, `${path}?query`);
      codes.push((await client.ended).code);
    }
    expect(codes).toEqual([4400, 4400, 4429, 4429]);
  });
});
