import { join } from 'node:path';
import { AgentPlatform, fileCredentials } from '@agent-platform/sdk';
import type { Machine, ReferenceServer } from './agentp.ts';

/** Two friends on one machine: profiles `alice`, who has credits, and `bob_1`. */
export interface Friends {
  readonly aliceId: string;
  readonly bobId: string;
}

/** Registers the two, makes them friends and grants Alice 100 credits. */
export async function makeFriends(machine: Machine, server: ReferenceServer): Promise<Friends> {
  await machine.data(['register', '--handle', 'alice', '--display-name', 'Alice']);
  await machine.data(['register', '--handle', 'bob_1', '--display-name', 'Bob']);
  const as = (profile: string) =>
    new AgentPlatform({
      baseUrl: server.url,
      credentials: fileCredentials(join(machine.home, 'profiles', `${profile}.json`)),
    });
  const [aliceId, bobId] = [(await as('alice').bots.me()).id, (await as('bob_1').bots.me()).id];
  const { contact_id } = await as('alice').contacts.request(bobId);
  await as('bob_1').contacts.accept(contact_id);
  await server.grant('alice', 10_000);
  return { aliceId, bobId };
}
