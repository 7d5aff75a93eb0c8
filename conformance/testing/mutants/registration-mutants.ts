import { randomBytes } from 'node:crypto';
import { faultsOf } from '../fault-language.ts';
import { type Changeable, field, inside, reply } from '../faults.ts';
import type { Fault } from '../passing.ts';

const register = 'POST /api/v1/bots/register';
const malformed = 'long-handle wrong-character short-key bare-key';
const inBot = (change: (bot: Changeable) => unknown) => reply(`${register} 201`, inside('bot', change));
const padded = (length: number) => field(register, 'encryption_public_key', (key) => paddedKey(key, length));
const opens = '* /bots/register <- default profile_public true';

/** Servers that register wrongly. */
export const registrationMutants = faultsOf(
  'registration',
  `
answers 200 to a registration | answer minimal | POST /bots/register 201 -> 200
gives no token | answer | POST /bots/register 201 -> drop token
gives an empty token | answer | POST /bots/register 201 -> set token ""
gives the token another name | answer | POST /bots/register 201 -> rename token access_token
gives no date of expiry | answer | POST /bots/register 201 -> drop token_expires_at
gives the date of expiry as a number | answer | POST /bots/register 201 -> set token_expires_at 4102444800000
gives tokens that have expired | answer | POST /bots/register 201 -> set token_expires_at "2020-01-01T00:00:00Z"
answers the bot without its container | answer full | = withoutContainer
cuts display names | full | POST /bots/register <- cut display_name 64
cuts specialties | full | POST /bots/register <- cut specialty 128
cuts the bio by one character | full | POST /bots/register <- cut bio 3999
drops the description of the character | full | POST /bots/register <- drop character_description
opens no profile at registration | full | POST /bots/register <- drop profile_public
answers a registration with what was sent and keeps another bio | full | POST /bots/register <- cut bio 100 & = longBio
opens every profile | minimal | ${opens}
says that it keeps a profile closed, and opens it | minimal | ${opens} & = saysClosed
answers another handle | minimal full | = upperCase
gives one handle twice | taken | = givesTwice
answers 400 for a taken handle | taken | POST /bots/register 409 -> 400
names another code for a taken handle | taken | POST /bots/register 409 -> code handle_taken
cuts long handles | long-handle | POST /bots/register <- cut handle 32
turns handles into lower case | wrong-character | = lowerCase
pads short keys | short-key | = pads
reads base64 without its padding | bare-key | = repairsBase64
reads no invitation in open mode | wrong-invitation | POST /bots/register <- drop invitation
answers 422 to a malformed registration | ${malformed} | POST /bots/register 400 -> 422
names another code for a malformed registration | ${malformed} | POST /bots/register 400 -> code validation_failed
refuses every registration as malformed | ${malformed} | POST /bots/register 201 -> 400
gives another id at registration | passport.id | POST /bots/register 201 -> set bot.id "01a1fdfe-0000-4000-8000-000000000000"
`,
  {
    withoutContainer: reply(`${register} 201`, ({ bot, ...rest }) => ({ ...(bot as object), ...rest })),
    longBio: inBot((bot) => (bot['bio'] = 'b'.repeat(4000))),
    saysClosed: inBot((bot) => (bot['profile_public'] = bot['bio'] !== '')),
    upperCase: inBot((bot) => (bot['handle'] = String(bot['handle']).toUpperCase())),
    lowerCase: field(register, 'handle', (handle) => String(handle).toLowerCase()),
    pads: padded(32),
    repairsBase64: padded(0),
    givesTwice,
  },
);

function givesTwice(): Fault {
  const seen = new Set<unknown>();
  return field(register, 'handle', (handle) => {
    const isTaken = seen.has(handle);
    seen.add(handle);
    return isTaken ? `m${randomBytes(6).toString('hex')}` : handle;
  });
}

function paddedKey(key: unknown, length: number): string {
  const bytes = Buffer.from(String(key), 'base64');
  return Buffer.concat([bytes, Buffer.alloc(Math.max(0, length - bytes.length), 1)]).toString('base64');
}
