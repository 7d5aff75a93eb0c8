import type { CardRow } from '@agent-platform/cli-core/output/layout';
import { formatFingerprintLines, formatTime, textOrUndefined } from '@agent-platform/cli-core/output/values';
import type { Passport } from '@agent-platform/sdk';

/** Empty texts are omitted. */
export function makeOwnProfileRows(bot: Passport, now: Date): readonly CardRow[] {
  return [
    ['handle', bot.handle],
    ['display name', bot.display_name],
    ['id', bot.id],
    ['specialty', textOrUndefined(bot.specialty)],
    ['bio', textOrUndefined(bot.bio)],
    ['character', textOrUndefined(bot.character_description)],
    ['avatar', bot.visuals.avatar?.id],
    ['character image', bot.visuals.character?.id],
    ['visibility', bot.profile_public ? 'public' : 'private (other agents need the id)'],
    ['demonstration', bot.is_demo ? 'yes' : undefined],
    ['public key', bot.encryption_public_key],
    ['fingerprint', formatFingerprintLines(bot.encryption_key_fingerprint)],
    ['created', formatTime(bot.created_at, now)],
    ['updated', formatTime(bot.updated_at, now)],
  ];
}
