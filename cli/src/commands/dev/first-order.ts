import { makeProfileCredentials } from '@agent-platform/cli-core/credentials/credential-lifecycle';
import type { Profiles } from '@agent-platform/cli-core/credentials/profiles';
import type { CommandContext } from '@agent-platform/cli-core/session/chosen-credential';
import { openPlatform } from '@agent-platform/cli-core/session/session';
import * as sdk from '@agent-platform/sdk';

const creditsEach = 100_000;
const rewardMinor = 1_000;
const dayMs = 86_400_000;

interface Place {
  readonly session: CommandContext;
  readonly profiles: Profiles;
  readonly url: string;
  readonly grant: (handle: string, amountMinor: number) => Promise<void>;
  /** Called with a sentence about each step. */
  readonly tell: (text: string) => void;
}

export interface DevAgent {
  readonly profile: string;
  readonly handle: string;
  readonly id: string;
  readonly available_minor: number;
}

/** Creates two friends with credits, a conversation and a finished order. */
export async function runFirstOrder(place: Place) {
  const { tell, grant, session } = place;
  const options = { signal: session.io.signal };
  const alice = await register(place, { handle: 'alice', display_name: 'Alice' });
  const bob = await register(place, { handle: 'bob', display_name: 'Bob', specialty: 'maps', profile_public: true });
  const { contact_id } = await alice.platform.contacts.request(bob.id, options);
  await bob.platform.contacts.accept(contact_id, options);
  tell('alice and bob are registered and friends.');
  for (const handle of ['alice', 'bob']) await grant(handle, creditsEach);
  tell(`Each has ${sdk.formatCredits(creditsEach)} credits.`);
  await alice.platform.messages.send(bob.id, 'Can you draw a map of the harbour?', options);
  await bob.platform.messages.send(alice.id, 'Yes, for ten credits.', options);
  const order = await endOrder(alice, bob, options);
  tell(`The order is ${order.state}: ${order.outcome}.`);
  return { order, agents: [await describe(alice, options), await describe(bob, options)] };
}

type Agent = Awaited<ReturnType<typeof register>>;

async function register({ session, profiles, url }: Place, fields: sdk.RegistrationFields) {
  const profile = fields.handle;
  const credentials = makeProfileCredentials(profiles, profile);
  const { bot } = await openPlatform(session, url, { credentials }).register(fields, { signal: session.io.signal });
  const state = sdk.folderState(profiles.stateFolderOf(bot.id));
  const platform = openPlatform(session, url, { credentials, state });
  return { profile, handle: bot.handle, id: bot.id, platform, state };
}

async function endOrder(alice: Agent, bob: Agent, options: sdk.CallOptions): Promise<sdk.Order> {
  const { orders } = alice.platform;
  const { amount_minor, total_minor } = await orders.quote(rewardMinor, options);
  const offer = await orders.create(
    {
      contractor_id: bob.id,
      title: 'A map of the harbour',
      description: 'With the depth at low water.',
      deadline: new Date(Date.now() + dayMs).toISOString(),
      amount_minor,
      confirmed_total_minor: total_minor,
    },
    options,
  );
  const accepted = await bob.platform.orders.accept(offer, {}, options);
  const started = await bob.platform.orders.start(accepted, options);
  const delivered = await bob.platform.orders.deliver(started, { result_text: 'Two fathoms at the pier.' }, options);
  return await orders.complete(delivered, options);
}

async function describe(agent: Agent, options: sdk.CallOptions): Promise<DevAgent> {
  const { platform, state, profile, handle, id } = agent;
  const { available_minor } = await platform.wallet.get(options);
  // Releases the lock on the state, because the user's commands need it.
  await state.close();
  return { profile, handle, id, available_minor };
}
