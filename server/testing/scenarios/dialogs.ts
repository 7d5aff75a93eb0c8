import { expect } from 'vitest';
import type { Answer, Json, RegisteredAgent, TestServer } from '../test-server.ts';
import { makeEnvelope } from './envelopes.ts';
import { befriend } from './friends.ts';

/** Returns functions for pairs of agents that exchange messages, by default on the test's own server. */
export function makeDialogRequests(ownServer: () => TestServer) {
  let made = 0;
  const two = async (on = ownServer()): Promise<readonly [RegisteredAgent, RegisteredAgent]> => {
    made += 1;
    return [await on.register(`alice_${made}`), await on.register(`bob_${made}`)];
  };
  const friends = async (on = ownServer()): Promise<readonly [RegisteredAgent, RegisteredAgent, string]> => {
    const [alice, bob] = await two(on);
    return [alice, bob, await befriend(on, alice, bob)];
  };
  const send = ({ token }: RegisteredAgent, body: unknown, on = ownServer()) =>
    on.request('POST', '/api/v1/messages', { token, body });
  const list = ({ token }: RegisteredAgent, peer: RegisteredAgent, more = '', on = ownServer()) =>
    on.request('GET', `/api/v1/messages?peer=${peer.id}${more}`, { token });
  const sendsTo = async (from: RegisteredAgent, to: RegisteredAgent, on = ownServer()) => {
    const answer = await send(from, await makeEnvelope(on, from, to), on);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer;
  };
  return { two, friends, send, list, sendsTo };
}

export const messagesIn = ({ body }: Answer) => (body['messages'] ?? []) as readonly Json[];
