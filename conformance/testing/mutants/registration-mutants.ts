import { randomBytes } from 'node:crypto';
import { generateKeyPair } from '@agent-platform/sdk';
import { faultsOf } from '../fault-language.ts';
import { type Changeable, isAbout, replyWhen, request, withJson } from '../faults.ts';
import type { Fault } from '../passing.ts';
import { racesHandles } from '../stateful-faults.ts';

const register = 'POST /api/v1/bots/register';
const malformed = 'long-handle wrong-character short-key bare-key';
const opens = '* /bots/register <- default profile_public true';
const bytesOf = (key: unknown) => Buffer.from(String(key), 'base64');

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
answers a registration with what was sent and keeps another bio | full | POST /bots/register <- cut bio 100 & POST /bots/register 201 -> map bot.bio long
opens every profile | minimal | ${opens}
says that it keeps a profile closed, and opens it | minimal | ${opens} & POST /bots/register 201 -> map bot.profile_public saysClosed
answers another handle | minimal full | POST /bots/register 201 -> map bot.handle upperCase
gives one handle twice | taken | = givesTwice
gives one handle twice at the same time | taken | = racesHandles
answers 400 for a taken handle | taken | POST /bots/register 409 -> 400
names another code for a taken handle | taken | POST /bots/register 409 -> code handle_taken
makes short handles longer | short-handle | POST /bots/register <- map handle longer
takes handles that start with a digit | first-digit | POST /bots/register <- map handle letterFirst
cuts a long bio | long-bio | POST /bots/register <- cut bio 4000
cuts a long display name | long-bio | POST /bots/register <- cut display_name 80
takes a registration without a <handle encryption_public_key> | no-handle | = <>IsOptional
takes a registration without a display name | no-handle | POST /bots/register <- default display_name "Nobody"
takes an empty display name | no-handle | POST /bots/register <- change display_name "" "Nobody"
cuts long handles | long-handle | POST /bots/register <- cut handle 32
turns handles into lower case | wrong-character | POST /bots/register <- map handle lowerCase
pads short keys | short-key | POST /bots/register <- map encryption_public_key padded
reads base64 without its padding | bare-key | POST /bots/register <- map encryption_public_key repaired
reads no invitation in open mode | wrong-invitation | POST /bots/register <- drop invitation
answers 422 to a malformed registration | ${malformed} | POST /bots/register 400 -> 422
names another code for a malformed registration | ${malformed} | POST /bots/register 400 -> code validation_failed
refuses every registration as malformed | ${malformed} | POST /bots/register 201 -> 400
gives another id at registration | passport.id | POST /bots/register 201 -> set bot.id "01a1fdfe-0000-4000-8000-000000000000"
`,
  {
    long: () => 'b'.repeat(4000),
    saysClosed: (_: unknown, { bio }: Changeable) => bio !== '',
    longer: (handle: unknown) => (String(handle).length < 3 ? `${handle}${randomBytes(6).toString('hex')}` : handle),
    letterFirst: (handle: unknown) => String(handle).replace(/^\d/, 'd'),
    upperCase: (handle: unknown) => String(handle).toUpperCase(),
    lowerCase: (handle: unknown) => String(handle).toLowerCase(),
    padded: (key: unknown) => (bytesOf(key).length < 32 ? generateKeyPair().publicKey : key),
    repaired: (key: unknown) => bytesOf(key).toString('base64'),
  },
  {
    racesHandles,
    withoutContainer: replyWhen(
      ({ status }, sent) => isAbout(sent, register) && status === 201,
      (passing) => withJson(passing, ({ bot, ...rest }) => ({ ...(bot as object), ...rest })),
    ),
    givesTwice,
    handleIsOptional: request(register, (body) => ({ handle: `m${randomBytes(6).toString('hex')}`, ...body })),
    encryption_public_keyIsOptional: request(register, (body) => ({
      ...{ encryption_public_key: generateKeyPair().publicKey },
      ...body,
    })),
  },
);

function givesTwice(): Fault {
  const seen = new Set<unknown>();
  return request(register, ({ handle, ...body }) => {
    const isTaken = seen.has(handle);
    seen.add(handle);
    return { ...body, handle: isTaken ? `m${randomBytes(6).toString('hex')}` : handle };
  });
}
