import { AgentPlatform, type AgentPlatformOptions, memoryCredentials, type Offer } from '../src/index.ts';
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
  const alice = new AgentPlatform({ baseUrl: server.url, credentials });
  const bob = new AgentPlatform({ baseUrl: server.url, credentials: memoryCredentials() });
  const { bot: aliceBot } = await alice.register({ handle: 'alice', display_name: 'Alice' });
  const { bot: bobBot } = await bob.register({ handle: 'bob_1', display_name: 'Bob' });
  const { contact_id } = await alice.contacts.request(bobBot.id);
  await bob.contacts.accept(contact_id);
  await server.grant('alice', 10_000);
  return {
    server,
    alice,
    bob,
    aliceId: aliceBot.id,
    bobId: bobBot.id,
    again: (options) => new AgentPlatform({ baseUrl: server.url, credentials, ...options }),
  };
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
