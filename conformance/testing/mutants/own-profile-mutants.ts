import { createHash } from 'node:crypto';
import { parseFaults } from '../fault-language.ts';
import { changeInnerObject, isAbout, type MutableObject, parseJsonObject, withJson } from '../faults.ts';
import type { Fault } from '../passing.ts';

const lengths = [
  ['display_name', 80],
  ['specialty', 160],
  ['bio', 4000],
  ['character_description', 4000],
] as const;
const limits = lengths.map(([name, max]) => {
  const check = `own-profile.${name.replace('_', '-')}`;
  const longest = `sent:'"${name}":"[^"]{${max}}"'`;
  return `
${name} is cut where it is too long | ${check} | PATCH /bots/me <- cut ${name} ${max}
${name} is cut a character early | ${check} | PATCH /bots/me <- cut ${name} ${max - 1}
the limit of ${name} is one too low | ${check} | PATCH /bots/me ${longest} <- 400 invalid_input
a new ${name} is answered and not stored | ${check} | PATCH /bots/me ${longest} <- echo bot`;
});

export const ownProfileMutants = parseFaults(
  'passport',
  `
the own profile has an image as text | fields | GET /bots/me 200 -> set bot.visuals.character "/image.jpg"
the own profile has an empty display name | fields | GET /bots/me 200 -> set bot.display_name ""
the own profile writes the handle with an @ | fields | GET /bots/me 200 -> map bot.handle withAt
the own profile is without its container | fields | GET /bots/me 200 -> unwrap bot
the own profile changes its id with every reading | id | GET /bots/me 200 -> set bot.id uuid
the own profile lacks the public key | key | GET /bots/me 200 -> drop bot.encryption_public_key
the own profile lacks the fingerprint | key | GET /bots/me 200 -> drop bot.encryption_key_fingerprint
the own profile has the fingerprint of the text and not of the bytes | key | GET /bots/me 200 -> map bot.encryption_key_fingerprint ofText
the own profile has dates as numbers | dates | GET /bots/me 200 -> map bot.created_at milliseconds & GET /bots/me 200 -> map bot.updated_at milliseconds
a card has no friendship | friendship | * /bots/0* -> replace '"friendship":{[^}]*}' '"mood":0'
the friendship on a card is an unknown word | friendship | * /bots/0* -> set bot.friendship {"status":"stranger"}
the friendship on a card exists before a request | friendship | * /bots/0* -> set bot.friendship {"status":"friends"}
the own profile cannot be read while it is closed | own-profile.private | GET /bots/me has:'"profile_public":false' -> 404 not_found
${limits.join('')}
an update escapes the texts | own-profile.others | PATCH /bots/me <- replace '<' '&lt;'
an empty display name is replaced | own-profile.empty-display-name | PATCH /bots/me <- change display_name "" "N"
a refused change of the handle is stored | own-profile.fixed | = storesHandle
null is no value for an image | own-profile.detach | PATCH /bots/me sent:'null' <- 400 invalid_input
`,
  {
    withAt: (handle: unknown) => `@${handle}`,
    ofText: (_: unknown, { encryption_public_key: key }: MutableObject) =>
      createHash('sha256').update(String(key)).digest('hex'),
    milliseconds: (date: unknown) => Date.parse(String(date)),
  },
  { storesHandle },
);

function storesHandle(): Fault {
  let handle: unknown;
  const stored = changeInnerObject('bot', (bot) => ({ ...bot, handle: handle ?? bot['handle'] }));
  return {
    onRequest: (sent) => {
      const body = isAbout(sent, 'PATCH /api/v1/bots/me') ? parseJsonObject(sent.body) : undefined;
      handle = body?.['handle'] ?? handle;
      return sent;
    },
    onReply: (passing, sent) => (isAbout(sent, 'GET /api/v1/bots/me') ? withJson(passing, stored) : passing),
  };
}
