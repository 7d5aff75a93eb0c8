import type { Passport, ProfileChange } from '@agent-platform/contract';
import type { Clock } from '../platform/clock.ts';
import { Refusal } from '../platform/refusal.ts';
import { recordProfile } from '../profiles/search-commands.ts';
import type { Store } from '../store/store.ts';
import type { Agent } from './agent.ts';
import { showPassport } from './passport-view.ts';
import { findChanges, refuseImages, saysSomethingElse } from './profile-change.ts';
import { unauthorized } from './token-queries.ts';

/** Changes the own profile; members that are absent, or equal to what is stored, change nothing. */
export async function changeProfile(
  store: Store,
  clock: Clock,
  agent: Agent,
  change: ProfileChange,
): Promise<Passport> {
  const refusal = refuseImages(change);
  if (refusal !== undefined) throw new Refusal(refusal.code, refusal.message);
  return await store.transact(async (writer) => {
    const current = await writer
      .selectFrom('bots')
      .where('id', '=', agent.id)
      .selectAll()
      .forUpdate()
      .executeTakeFirst();
    if (current === undefined) throw unauthorized();
    const changes = findChanges(current, change);
    if (Object.keys(changes).length === 0) return showPassport(current);
    const changed = { ...changes, updated_at: clock() };
    await writer.updateTable('bots').set(changed).where('id', '=', agent.id).execute();
    const bot = { ...current, ...changed };
    if (saysSomethingElse(current, bot)) await recordProfile(writer, bot);
    return showPassport(bot);
  });
}
