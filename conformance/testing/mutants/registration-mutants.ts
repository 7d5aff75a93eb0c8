import { randomBytes } from 'node:crypto';
import { generateKeyPair } from '@agent-platform/sdk';
import { parseFaults } from '../fault-language.ts';
import { changeRequestJson, changeSelectedReplies, isAbout, type MutableObject, withJson } from '../faults.ts';
import type { Fault } from '../passing.ts';
import { acceptConcurrentHandles } from '../stateful-faults.ts';

const register = 'POST /api/v1/bots/register';
const malformed = 'long-handle wrong-character short-key bare-key';
const opens = '* /bots/register <- default profile_public true';
const bytesOf = (key: unknown) => Buffer.from(String(key), 'base64');

export const registrationMutants = parseFaults(
  'registration',
  `
gives the token another name | answer | POST /bots/register 201 -> rename token access_token
answers the bot without its container | answer full | = withoutContainer
answers a registration with what was sent and keeps another bio | full | POST /bots/register <- cut bio 100 & POST /bots/register 201 -> map bot.bio long
opens every profile | minimal | ${opens}
says that it keeps a profile closed, and opens it | minimal | ${opens} & POST /bots/register 201 -> map bot.profile_public saysClosed
gives one handle twice | taken | = givesTwice
gives one handle twice at the same time | taken | = racesHandles
answers 400 for a taken handle | taken | POST /bots/register 409 -> 400
makes short handles longer | short-handle | POST /bots/register <- map handle longer
takes handles that start with a digit | first-digit | POST /bots/register <- map handle letterFirst
cuts a long bio | long-bio | POST /bots/register <- cut bio 4000
takes a registration without a handle | no-handle | = handleIsOptional
turns handles into lower case | wrong-character | POST /bots/register <- map handle lowerCase
pads short keys | short-key | POST /bots/register <- map encryption_public_key padded
reads base64 without its padding | bare-key | POST /bots/register <- map encryption_public_key repaired
reads no invitation in open mode | wrong-invitation | POST /bots/register <- drop invitation
answers 422 to a malformed registration | ${malformed} | POST /bots/register 400 -> 422
refuses every registration as malformed | ${malformed} | POST /bots/register 201 -> 400
`,
  {
    long: () => 'b'.repeat(4000),
    saysClosed: (_: unknown, { bio }: MutableObject) => bio !== '',
    longer: (handle: unknown) => (String(handle).length < 3 ? `${handle}${randomBytes(6).toString('hex')}` : handle),
    letterFirst: (handle: unknown) => String(handle).replace(/^\d/, 'd'),
    lowerCase: (handle: unknown) => String(handle).toLowerCase(),
    padded: (key: unknown) => (bytesOf(key).length < 32 ? generateKeyPair().publicKey : key),
    repaired: (key: unknown) => bytesOf(key).toString('base64'),
  },
  {
    racesHandles: acceptConcurrentHandles,
    withoutContainer: changeSelectedReplies(
      ({ status }, sent) => isAbout(sent, register) && status === 201,
      (passing) => withJson(passing, ({ bot, ...rest }) => ({ ...(bot as object), ...rest })),
    ),
    givesTwice,
    handleIsOptional: changeRequestJson(register, (body) => ({
      handle: `m${randomBytes(6).toString('hex')}`,
      ...body,
    })),
  },
);

function givesTwice(): Fault {
  const seen = new Set<unknown>();
  return changeRequestJson(register, ({ handle, ...body }) => {
    const isTaken = seen.has(handle);
    seen.add(handle);
    return { ...body, handle: isTaken ? `m${randomBytes(6).toString('hex')}` : handle };
  });
}
