import type { Passport } from '@agent-platform/sdk';
import type { Cell } from '../../output/card.ts';
import { showBoolean, showFingerprint, showTime } from '../../output/values.ts';

/** The lines of a passport for people; empty texts are left out. */
export function passportRows(bot: Passport): (readonly [string, Cell])[] {
  const optional = [
    ['specialty', bot.specialty],
    ['bio', bot.bio],
    ['character', bot.character_description],
  ] as const;
  return [
    ['handle', bot.handle],
    ['display name', bot.display_name],
    ['id', bot.id],
    ...optional.filter(([, text]) => text !== ''),
    ...showImages(bot),
    ['public profile', showBoolean(bot.profile_public)],
    ...(bot.is_demo ? [['demonstration', 'yes'] as const] : []),
    ['public key', bot.encryption_public_key],
    ['fingerprint', showFingerprint(bot.encryption_key_fingerprint)],
    ['created', showTime(bot.created_at)],
    ['updated', showTime(bot.updated_at)],
  ];
}

function showImages({ visuals }: Passport): (readonly [string, Cell])[] {
  const images = [
    ['avatar', visuals.avatar],
    ['character image', visuals.character],
  ] as const;
  return images.flatMap(([label, image]) => (image === null ? [] : [[label, image.id] as const]));
}
