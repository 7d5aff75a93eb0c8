import { createHash, randomUUID } from 'node:crypto';
import { faultsOf } from '../fault-language.ts';
import { type Changeable, field, inside, isAbout, json, parse, renamed, reply, requestWhen } from '../faults.ts';
import type { Fault, PassingRequest } from '../passing.ts';

const read = 'GET /api/v1/bots/me';
const change = 'PATCH /api/v1/bots/me';
const inBot = (damage: (bot: Changeable) => unknown) => reply(`${read} 200`, inside('bot', damage));
const become = (name: string, type: string, convert: (value: unknown) => unknown) =>
  field(change, name, (value) => (typeof value === type ? convert(value) : value));
const friendship = (other: string) => renamed('/api/v1/bots/0', [[/"friendship":\{[^}]*\}/g, other]]);

const lengths = [
  ['display_name', 80],
  ['specialty', 160],
  ['bio', 4000],
  ['character_description', 4000],
] as const;
const limits = lengths.map(([name, max]) => {
  const check = `own-profile.${name.replace('_', '-')}`;
  return `
${name} is cut where it is too long | ${check} | PATCH /bots/me <- cut ${name} ${max}
${name} is cut a character early | ${check} | PATCH /bots/me <- cut ${name} ${max - 1}
the limit of ${name} is one too low | ${check} | = ${name} refused
a new ${name} is answered and not stored | ${check} | = ${name} answered`;
});
const limitFaults = lengths.flatMap(([name, max]) => {
  const isLongest = (sent: PassingRequest) =>
    isAbout(sent, change) && String(parse(sent.body)?.[name] ?? '').length === max;
  const answered = (sent: PassingRequest) => json(200, { bot: parse(sent.body) });
  const refused = json(400, { error: { code: 'invalid_input', message: 'No.' } });
  return [
    [`${name} refused`, requestWhen(isLongest, refused)],
    [`${name} answered`, requestWhen(isLongest, answered)],
  ] as const;
});

/** Servers with a faulty own profile, or that change it wrongly. */
export const ownProfileMutants = faultsOf(
  'passport',
  `
the own profile is of another kind | fields | GET /bots/me 200 -> set bot.kind "bot"
the own profile has no mark of demonstrations | fields | GET /bots/me 200 -> drop bot.is_demo
the own profile has no visuals | fields | GET /bots/me 200 -> set bot.visuals null
the own profile leaves out a missing avatar | fields | GET /bots/me 200 -> drop bot.visuals.avatar
the own profile has an image as text | fields | GET /bots/me 200 -> set bot.visuals.character "/image.jpg"
the own profile describes no character in its visuals | fields | GET /bots/me 200 -> drop bot.visuals.character_description
the own profile says open and closed in words | fields | GET /bots/me 200 -> set bot.profile_public "true"
the own profile has null for a text | fields | GET /bots/me 200 -> set bot.specialty null
the own profile has a number for a text | fields | GET /bots/me 200 -> set bot.bio 7
the own profile leaves out a description | fields | GET /bots/me 200 -> drop bot.character_description
the own profile has an empty display name | fields | GET /bots/me 200 -> set bot.display_name ""
the own profile writes the handle with an @ | fields | = at
the own profile is without its container | fields | GET /bots/me 200 -> unwrap bot
the own profile has a number for an id | id | GET /bots/me 200 -> set bot.id 7
the own profile changes its id with every reading | id | = newIds
the own profile lacks the public key | key | GET /bots/me 200 -> drop bot.encryption_public_key
the own profile lacks the fingerprint | key | GET /bots/me 200 -> drop bot.encryption_key_fingerprint
the own profile has the fingerprint of the text and not of the bytes | key | = textFingerprint
the own profile has dates as numbers | dates | = numericDates
a card has no friendship | friendship | = noFriendship
the friendship on a card is an unknown word | friendship | = unknownFriendship
the friendship on a card exists before a request | friendship | = earlyFriendship
the own profile cannot be read while it is closed | own-profile.private | GET /bots/me has:'"profile_public":false' -> 404 not_found
${limits.join('')}
an empty display name is replaced | own-profile.empty-display-name | PATCH /bots/me <- change display_name "" "N"
words are taken for booleans | own-profile.boolean | = wordsForBooleans
numbers are taken for booleans | own-profile.boolean | = numbersForBooleans
numbers are taken for texts | own-profile.type | = numbersForTexts
unknown members are ignored | own-profile.fixed | PATCH /bots/me <- drop handle & PATCH /bots/me <- drop encryption_public_key & PATCH /bots/me <- drop is_demo
a refused change is stored all the same | own-profile.fixed | = storesRefused
null is no value for an image | own-profile.detach | PATCH /bots/me sent:'null' <- 400 invalid_input
`,
  {
    at: inBot((bot) => (bot['handle'] = `@${bot['handle']}`)),
    newIds: inBot((bot) => (bot['id'] = randomUUID())),
    textFingerprint: inBot((bot) => {
      const text = String(bot['encryption_public_key']);
      bot['encryption_key_fingerprint'] = createHash('sha256').update(text).digest('hex');
    }),
    numericDates: inBot((bot) => {
      for (const name of ['created_at', 'updated_at']) bot[name] = Date.parse(String(bot[name]));
    }),
    noFriendship: friendship('"mood":0'),
    unknownFriendship: friendship('"friendship":{"status":"stranger"}'),
    earlyFriendship: friendship('"friendship":{"status":"friends"}'),
    wordsForBooleans: become('profile_public', 'string', (value) => value === 'true'),
    numbersForBooleans: become('profile_public', 'number', (value) => value === 1),
    numbersForTexts: become('specialty', 'number', String),
    storesRefused,
    ...Object.fromEntries(limitFaults),
  },
);

function storesRefused(): Fault {
  let bio: unknown;
  const stored = inBot((bot) => (bot['bio'] = bio ?? bot['bio']));
  return {
    ...stored,
    onRequest: (sent) => {
      const body = isAbout(sent, change) ? parse(sent.body) : undefined;
      if (body !== undefined && 'handle' in body) bio = body['bio'];
      return sent;
    },
  };
}
