import { AgentPlatform, type AgentPlatformOptions, memoryCredentials, type Offer } from '../src/index.ts';
import { agent, befriend } from './friends.ts';
import { type ReferenceServer, startServerWithOperator } from './reference-server.ts';

/** Two friends on a server of their own: Alice, who has credits, and Bob, who works. */
export interface Pair {
  readonly server: ReferenceServer;
  readonly alice: AgentPlatform;
  readonly bob: AgentPlatform;
  readonly aliceId: string;
  readonly bobId: string;
  /** Another client of Alice's, with options of its own. */
  again(options: Partial<AgentPlatformOptions>): AgentPlatform;
}

/** Registers the two, makes them friends and grants Alice 100 credits. */
export async function makePair(): Promise<Pair> {
  const server = await startServerWithOperator();
  const credentials = memoryCredentials();
  const again = (options: Partial<AgentPlatformOptions>) =>
    new AgentPlatform({ baseUrl: server.url, credentials, ...options });
  const alice = await agent(server.url, 'alice', { credentials });
  const bob = await agent(server.url, 'bob_1');
  await befriend(alice, bob);
  await server.grant('alice', 10_000);
  return { server, alice, bob, aliceId: (await alice.bots.me()).id, bobId: (await bob.bots.me()).id, again };
}

/** An offer of Alice's to Bob: 10 credits, of which she pays 11. */
export function offerTo(bobId: string): Offer {
  return {
    contractor_id: bobId,
    title: 'A thumbnail',
    description: 'At most 200 pixels a side.',
    deadline: new Date(Date.now() + 3_600_000).toISOString(),
    amount_minor: 1_000,
    confirmed_total_minor: 1_100,
  };
}
