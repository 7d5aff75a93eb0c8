import type { Passport, ProfileChange } from '@agent-platform/contract';
import type { Clock } from '../../platform/clock.ts';
import { Refusal } from '../../platform/refusal.ts';
import { indexProfile } from '../../search-index/search-index-commands.ts';
import { recordRevocation } from '../../store/statements/after-commit.ts';
import type { Store } from '../../store/store.ts';
import type { Agent } from '../agent.ts';
import { lockProfile } from '../agent-commands.ts';
import { resolveTextQuota } from '../agent-quotas.ts';
import { countProfileTextBytes } from '../text-usage.ts';
import { chargeTextBytes } from '../text-usage-commands.ts';
import type { ProfileImagePort } from './image-port.ts';
import { findProfileImages } from './image-queries.ts';
import { showProfile } from './own-profile-view.ts';
import { affectsSearchText, findProfileChanges } from './profile-change.ts';

interface OwnProfileDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly images: ProfileImagePort;
  /** The default text quota of an agent; 0 means unlimited. */
  readonly agentTextBytes: number;
}

/** Absent members, and members equal to the stored ones, change nothing. */
export async function changeProfile(
  parts: OwnProfileDependencies,
  agent: Agent,
  change: ProfileChange,
): Promise<Passport> {
  const { store, clock, images, agentTextBytes } = parts;
  return await store.transact(async (writer) => {
    const current = await lockProfile(writer, agent.id, 'forNoKeyUpdate');
    const changes = findProfileChanges(current, change);
    // The confirmation is also required while the profile is not public.
    if (change.rights_confirmed !== true && (changes.avatar_id || changes.character_id)) {
      throw new Refusal(
        'publication_rights_required',
        'A new image requires rights_confirmed: true. Confirm the right to publish it.',
      );
    }
    if (Object.keys(changes).length === 0)
      return showProfile(current, await findProfileImages(writer, images, [current]));
    const now = clock();
    for (const purpose of ['avatar', 'character'] as const) {
      const [before, after] = [current[`${purpose}_id`], changes[`${purpose}_id`]];
      if (after === undefined) continue;
      if (after !== null) await images.bind(writer, agent.id, purpose, after);
      if (before !== null) await images.release(writer, before, now);
    }
    const changed = { ...changes, updated_at: now };
    await writer.updateTable('bots').set(changed).where('id', '=', agent.id).execute();
    if (changes.profile_public === false) recordRevocation(writer, { kind: 'closed', agent_id: agent.id });
    const bot = { ...current, ...changed };
    if (affectsSearchText(changes)) await indexProfile(writer, bot);
    await chargeTextBytes(
      writer,
      agent.id,
      countProfileTextBytes(bot) - countProfileTextBytes(current),
      resolveTextQuota(current, agentTextBytes),
    );
    return showProfile(bot, await findProfileImages(writer, images, [bot]));
  });
}
