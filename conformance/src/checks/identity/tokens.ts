import type { Check } from '../../context/check.ts';
import type { Ending } from '../../context/events/frames.ts';
import { expect, expectBot, expectMember, expectRefusal, expectStatus } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { textsOf } from '../../context/json.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import type { Run } from '../../context/run.ts';
import { listen } from '../../fixtures/events/listening.ts';

const me = '/api/v1/bots/me';

/** Life and end of a token. The last one uses up the newcomer. */
export const tokenChecks: readonly Check[] = [
  {
    id: 'tokens.secret',
    covers: ['AP-TOKEN-001'],
    rule: 'Reading the own profile never returns the token.',
    async judge(run) {
      const { token } = await run.primaryAgent();
      const exchange = await run.send({ path: me, token });
      expectStatus(exchange, 200);
      expectBot(exchange);
      expect(!exchange.text.includes(token), 'the answer contains the token', exchange);
    },
  },
  {
    id: 'tokens.rotate',
    covers: ['AP-TOKEN-004', 'AP-TOKEN-005', 'AP-TOKEN-006'],
    rule: 'Rotation returns a new token, ends the old token immediately, and changes neither profile nor key.',
    cost: { writes: 1 },
    async judge(run) {
      await rotates(run, {});
    },
  },
  {
    id: 'tokens.rotate-unread',
    covers: ['AP-TOKEN-007'],
    rule: 'Rotation ignores its body.',
    cost: { writes: 1 },
    async judge(run) {
      await rotates(run, { body: '{"not json', headers: { 'content-type': 'application/json' } });
    },
  },
  {
    id: 'tokens.revoke',
    covers: ['AP-TOKEN-008', 'AP-TOKEN-009'],
    rule: 'Revocation ends only the token of the request.',
    cost: { writes: 3, sockets: 1 },
    async judge(run) {
      const other = await run.primaryAgent();
      const { agent, answer } = await revokesNewcomer(run);
      expectStatus(answer, 200);
      expectRefusal(await run.send({ path: me, token: agent.token }), 401, 'unauthorized');
      const again = await run.send({ method: 'POST', path: '/api/v1/tokens/rotate', token: agent.token });
      expectRefusal(again, 401, 'unauthorized');
      expectStatus(await run.send({ path: me, token: other.token }), 200);
    },
  },
];

/** What a revocation was answered, and how it ended a connection that was open meanwhile, if one was. */
export interface Revocation {
  readonly agent: PoolAgent;
  readonly answer: Exchange;
  readonly connection: { readonly end: Ending | undefined; readonly exchange: Exchange } | undefined;
}

const revocations = new WeakMap<Run, Promise<Revocation>>();

/** Ends the token of the newcomer, once in a run, with a connection of it to look at what becomes of it. */
export function revokesNewcomer(run: Run): Promise<Revocation> {
  const revocation = revocations.get(run) ?? revoke(run);
  revocations.set(run, revocation);
  return revocation;
}

async function revoke(run: Run): Promise<Revocation> {
  const agent = await run.freshAgent();
  expectStatus(await run.send({ path: me, token: agent.token }), 200);
  // Nobody can close it afterwards, and other agents should not find it.
  await run.send({ method: 'PATCH', path: me, token: agent.token, json: { profile_public: false } });
  // A server without a stream, or with a faulty one, is judged by its answers all the same.
  const connection = await listen(run, agent).catch(() => undefined);
  const answer = await run.send({ method: 'POST', path: '/api/v1/tokens/revoke', token: agent.token });
  run.remember('revocation', answer);
  const end = await connection?.until(() => connection.ending, run.stream.patienceMs);
  return { agent, answer, connection: connection === undefined ? undefined : { end, exchange: connection.exchange } };
}

/** Rotates the token of the kept agent, and demands that the old one ends and the new one works. */
export async function rotates(run: Run, sent: { readonly body?: string; readonly headers?: Record<string, string> }) {
  const before = await run.primaryAgent();
  const read = await run.send({ path: me, token: before.token });
  expectStatus(read, 200);
  const rotation = await run.send({
    method: 'POST',
    path: '/api/v1/tokens/rotate',
    token: before.token,
    ...sent,
  });
  run.redaction.hideTokensOf(rotation);
  run.remember('rotation', rotation);
  const token = rotation.status === 200 ? await findToken(run, rotation, before.token) : undefined;
  if (token !== undefined) run.keepToken(token);
  expectStatus(rotation, 200);
  expect(token !== undefined, 'the answer contains no working token', rotation);
  expectRefusal(await run.send({ path: me, token: before.token }), 401, 'unauthorized');
  const after = await run.send({ path: me, token });
  expectStatus(after, 200);
  expectMember(expectBot(after), 'id', before.id, after);
  expectMember(expectBot(after), 'handle', before.handle, after);
  const isKept = textsOf(expectBot(after)).some(({ text }) => text === before.encryption_public_key);
  expect(isKept, 'the profile no longer contains the public key', after);
}

// The name of the member is not stated, so every text that could be a token is tried.
async function findToken(run: Run, rotation: Exchange, old: string): Promise<string | undefined> {
  const fit = textsOf(rotation.json).filter(({ text }) => text !== old && /^[\x21-\x7e]{8,}$/.test(text));
  const likelyFirst = fit.toSorted((a, b) => Number(b.path.endsWith('token')) - Number(a.path.endsWith('token')));
  for (const { text } of likelyFirst.slice(0, 4)) {
    if ((await run.send({ path: me, token: text })).status === 200) return text;
  }
  return undefined;
}
