import { randomBytes, randomUUID } from 'node:crypto';
import { type Changeable, inAnswer, inBot, inRequest, type Mutant, mutant, otherStatus } from '../faults.ts';

const register = 'POST /api/v1/bots/register';
const malformed = ['long-handle', 'wrong-character', 'short-key', 'bare-key'].map((name) => `registration.${name}`);
const fresh = () => `m${randomBytes(6).toString('hex')}`;

/** Servers that register wrongly. */
export const registrationMutants: readonly Mutant[] = [
  mutant('answers 200 to a registration', ['registration.answer', 'registration.minimal'], () =>
    otherStatus(register, 201, 200),
  ),
  mutant('gives no token', ['registration.answer'], () => answer((body) => delete body['token'])),
  mutant('gives an empty token', ['registration.answer'], () => answer((body) => (body['token'] = ''))),
  mutant('calls the token otherwise', ['registration.answer'], () =>
    inAnswer(register, 201, ({ token, ...rest }) => ({ ...rest, access_token: token })),
  ),
  mutant('gives no date of expiry', ['registration.answer'], () => answer((body) => delete body['token_expires_at'])),
  mutant('gives the date of expiry as a number', ['registration.answer'], () =>
    answer((body) => (body['token_expires_at'] = Date.parse(String(body['token_expires_at'])))),
  ),
  mutant('gives tokens that have expired', ['registration.answer'], () =>
    answer((body) => (body['token_expires_at'] = '2020-01-01T00:00:00Z')),
  ),
  mutant('answers the bot without its container', ['registration.answer', 'registration.full'], () =>
    inAnswer(register, 201, ({ bot, ...rest }) => ({ ...(bot as object), ...rest })),
  ),
  mutant('cuts display names', ['registration.full'], () => cut('display_name', 64)),
  mutant('cuts specialties', ['registration.full'], () => cut('specialty', 128)),
  mutant('cuts the bio by one character', ['registration.full'], () => cut('bio', 3999)),
  mutant('drops the description of the character', ['registration.full'], () =>
    inRequest(register, ({ character_description: _, ...rest }) => rest),
  ),
  mutant('opens no profile at registration', ['registration.full'], () =>
    inRequest(register, ({ profile_public: _, ...rest }) => rest),
  ),
  mutant('answers a registration with what was sent and keeps another bio', ['registration.full'], () => ({
    ...cut('bio', 100),
    ...inBot(register, 201, (bot) => (bot['bio'] = 'b'.repeat(4000))),
  })),
  mutant('opens every profile', ['registration.minimal'], () =>
    inRequest(register, (body) => ({ profile_public: true, ...body })),
  ),
  mutant('says that it keeps a profile closed, and opens it', ['registration.minimal'], () => ({
    ...inRequest(register, (body) => ({ profile_public: true, ...body })),
    ...inBot(register, 201, (bot) => (bot['profile_public'] = bot['bio'] !== '')),
  })),
  mutant('answers another handle', ['registration.minimal', 'registration.full'], () =>
    inBot(register, 201, (bot) => (bot['handle'] = String(bot['handle']).toUpperCase())),
  ),
  mutant('gives one handle twice', ['registration.taken'], () => {
    const seen = new Set<unknown>();
    return inRequest(register, (body) => {
      const isTaken = seen.has(body['handle']);
      seen.add(body['handle']);
      return isTaken ? { ...body, handle: fresh() } : body;
    });
  }),
  mutant('answers 400 for a handle that is taken', ['registration.taken'], () => otherStatus(register, 409, 400)),
  mutant('names another code for a handle that is taken', ['registration.taken'], () =>
    inAnswer(register, 409, () => ({ error: { code: 'handle_taken', message: 'Taken.' } })),
  ),
  mutant('cuts long handles', ['registration.long-handle'], () => cut('handle', 32)),
  mutant('turns handles into lower case', ['registration.wrong-character'], () =>
    inRequest(register, (body) => ({ ...body, handle: String(body['handle']).toLowerCase() })),
  ),
  mutant('pads short keys', ['registration.short-key'], () =>
    inRequest(register, (body) => ({ ...body, encryption_public_key: padded(body, 32) })),
  ),
  mutant('reads base64 without its padding', ['registration.bare-key'], () =>
    inRequest(register, (body) => ({ ...body, encryption_public_key: padded(body, 0) })),
  ),
  mutant('looks at no invitation in open mode', ['registration.wrong-invitation'], () =>
    inRequest(register, ({ invitation: _, ...rest }) => rest),
  ),
  mutant('answers 422 to a malformed registration', malformed, () => otherStatus(register, 400, 422)),
  mutant('names another code for a malformed registration', malformed, () =>
    inAnswer(register, 400, () => ({ error: { code: 'validation_failed', message: 'No.' } })),
  ),
  mutant('refuses every registration as malformed', malformed, () => otherStatus(register, 201, 400)),
  mutant('gives another id at registration', ['passport.id'], () =>
    inBot(register, 201, (bot) => (bot['id'] = randomUUID())),
  ),
];

function answer(change: (body: Changeable) => unknown) {
  return inAnswer(register, 201, (body) => {
    change(body);
    return body;
  });
}

function cut(name: string, length: number) {
  return inRequest(register, (body) =>
    typeof body[name] === 'string' ? { ...body, [name]: (body[name] as string).slice(0, length) } : body,
  );
}

function padded(body: Changeable, length: number): string {
  const bytes = Buffer.from(String(body['encryption_public_key']), 'base64');
  return Buffer.concat([bytes, Buffer.alloc(Math.max(0, length - bytes.length), 1)]).toString('base64');
}
