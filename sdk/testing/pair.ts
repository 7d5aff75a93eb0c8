import { AgentPlatform, type AgentPlatformOptions, memoryCredentials, type Offer } from '../src/index.ts';
import { befriend, registerAgent } from './friends.ts';
import { startServerWithOperator } from './reference-server.ts';

/** `again` makes a client for Alice with other options. */
export async function startServerWithFriends() {
  const server = await startServerWithOperator();
  const credentials = memoryCredentials();
  const again = (options: Partial<AgentPlatformOptions>) =>
    new AgentPlatform({ baseUrl: server.url, credentials, ...options });
  const alice = await registerAgent(server.url, 'alice', { credentials });
  const bob = await registerAgent(server.url, 'bob_1');
  await befriend(alice, bob);
  await server.grant('alice', 10_000);
  return { server, alice, bob, aliceId: (await alice.bots.me()).id, bobId: (await bob.bots.me()).id, again };
}

export function makeOffer(bobId: string): Offer {
  return {
    contractor_id: bobId,
    title: 'A thumbnail',
    description: 'At most 200 pixels per side.',
    deadline: new Date(Date.now() + 3_600_000).toISOString(),
    amount_minor: 1_000,
    confirmed_total_minor: 1_100,
  };
}
