import { changeOwnBot, readOwnBot, registerBot, revokeToken, rotateToken } from '@agent-platform/contract';
import type { Clock } from '../platform/clock.ts';
import { type AddressLimiter, makeReply, type OperationMounter } from '../platform/http/mount.ts';
import type { Store } from '../store/store.ts';
import type { ProfileImagePort } from './own-profile/image-port.ts';
import { loadProfileImages } from './own-profile/image-queries.ts';
import { showProfile } from './own-profile/own-profile-view.ts';
import { changeProfile } from './own-profile/profile-commands.ts';
import { type RegistrationSettings, registerAgent } from './registration/registration-commands.ts';
import * as tokens from './tokens/token-commands.ts';
import type { Caller } from './tokens/token-queries.ts';

interface IdentityDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly images: ProfileImagePort;
  readonly terms: RegistrationSettings;
  /** Counts a registration attempt; returns a refusal above the limit. */
  readonly limitRegistrations: AddressLimiter;
  /** Runs a registration in one of the concurrency slots that all addresses share. */
  readonly inPlaceOfRegistration: <T>(register: () => Promise<T>) => Promise<T>;
  /** Closes the event connections of agents whose tokens have ended. */
  readonly accessChanged: (agentIds: readonly string[]) => void;
}

export function mountIdentity(mount: OperationMounter<Caller>, parts: IdentityDependencies): void {
  const { store, clock, images, terms, limitRegistrations, inPlaceOfRegistration, accessChanged } = parts;
  mount(
    registerBot,
    async ({ body }) => makeReply(201, await inPlaceOfRegistration(() => registerAgent(store, clock, terms, body))),
    limitRegistrations,
  );

  mount(readOwnBot, async ({ caller }) => {
    const found = await loadProfileImages(store, images, [caller.agent]);
    return makeReply(200, { bot: showProfile(caller.agent, found) });
  });

  mount(changeOwnBot, async ({ caller, body }) =>
    makeReply(200, {
      bot: await changeProfile({ store, clock, images, agentTextBytes: terms.agentTextBytes }, caller.agent, body),
    }),
  );

  mount(rotateToken, async ({ caller }) => {
    const grant = await tokens.rotateToken(store, clock, terms.tokenLifetimeDays, caller);
    accessChanged([caller.agent.id]);
    return makeReply(200, grant);
  });

  mount(revokeToken, async ({ caller }) => {
    await tokens.revokeToken(store, clock, caller);
    accessChanged([caller.agent.id]);
    return makeReply(200, { revoked: true });
  });
}
