import { join } from 'node:path';
import { AgentPlatform, fileCredentials } from '@agent-platform/sdk';
import type { Machine, ReferenceServer } from './agentp.ts';

/** Two friends on one machine: profile `alice`, with credits, and profile `bob_1`. */
export type Friends = Awaited<ReturnType<typeof makeFriends>>;

/** Registers two agents, makes them friends, and grants 100 credits to the first agent. */
export async function makeFriends(
  machine: Machine,
  server: ReferenceServer,
  [first, second]: readonly [string, string] = ['alice', 'bob_1'],
) {
  for (const handle of [first, second]) await machine.data(['register', '--handle', handle, '--display-name', handle]);
  const as = (profile: string) =>
    new AgentPlatform({
      baseUrl: server.url,
      credentials: fileCredentials(join(machine.home, 'profiles', `${profile}.json`)),
    });
  const [aliceId, bobId] = [(await as(first).bots.me()).id, (await as(second).bots.me()).id];
  const { contact_id } = await as(first).contacts.request(bobId);
  await as(second).contacts.accept(contact_id);
  await server.grant(first, 10_000);
  return { aliceId, bobId };
}
