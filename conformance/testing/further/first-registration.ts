import { createHash, randomBytes } from 'node:crypto';
import { generateKeyPair } from '@agent-platform/sdk';
import { type Changeable, isAbout, parse, refusal, tokenOf, withJson } from '../faults.ts';
import { furtherMutants } from '../further-mutants.ts';
import { objectIn, placeOf, refuses, textIn } from '../memories.ts';
import type { Fault, PassingReply, PassingRequest } from '../passing.ts';
import { handleOf, racesHandles, repeatsReplies } from '../stateful-faults.ts';

const table = String.raw`
takes a handle with an underscore at its start | handle: first is a letter | POST /bots/register <- map handle letterFirst
takes a handle with a hyphen | handle: lowercase Latin letters, digits, _ | POST /bots/register <- map handle withoutHyphens
takes a handle with letters of other alphabets | handle: lowercase Latin letters, digits, _ | POST /bots/register <- map handle latin
takes a handle of two characters | handle: 3-32 chars | POST /bots/register <- map handle longer
takes a handle with a line break at its end | handle: lowercase Latin letters, digits, _ | POST /bots/register <- map handle trimmed
refuses a handle of 32 characters | handle: 3-32 chars | POST /bots/register sent:'"handle":"\w{32}"' <- 400 invalid_input
refuses a handle that ends with a digit | handle: lowercase Latin letters, digits, _ | POST /bots/register sent:'"handle":"\w*9"' <- 400 invalid_input
answers a taken handle with its first registration | Not idempotent; the token is given once only | = repeatsRegistrations
registers a handle twice at the same time | handle: unique | = racesHandles
counts the bytes of a name | display_name up to 80 chars | = countsNameBytes
registers with a specialty of 161 characters | specialty: optional; up to 160 | POST /bots/register <- cut specialty 160
registers with a description of 4001 characters | character_description: optional; up to 4000 | POST /bots/register <- cut character_description 4000
takes a key in the alphabet of URLs | encryption_public_key: canonical base64 | POST /bots/register <- map encryption_public_key fromUrl
takes a key without its padding | encryption_public_key: canonical base64 | POST /bots/register <- map encryption_public_key padded
takes a key with stray bits | encryption_public_key: canonical base64 | POST /bots/register <- map encryption_public_key canonical
takes a key of 33 bytes | encryption_public_key: 32 bytes | POST /bots/register <- map encryption_public_key cut
takes a key of 31 bytes | encryption_public_key: 32 bytes | POST /bots/register <- map encryption_public_key filled
fingerprints the text of a key | the passport carries the SHA-256 fingerprint of the key | = fingerprintsText
registers an agent whose invitation it refuses | invitation: when sent it is always checked; a refusal has no effect | = registersUninvited
checks no short invitation | invitation: when sent it is always checked | POST /bots/register sent:'"invitation":".{0,12}"' <- drop invitation
marks a demonstration on request | is_demo is no registration field | = marksDemos
forgets the <specialty character_description> of a registration | Registration request fields | POST /bots/register <- drop <>
takes profile_public as a text | profile_public: optional boolean | POST /bots/register sent:'"profile_public":"' <- set profile_public true
shows no description among the visuals | visuals: {avatar, character, character_description} | GET /bots/me 200 -> set bot.visuals.character_description ""
ends a token a day before it expires | A token is active until token_expires_at | before insert on tokens | new.expires_at := new.expires_at - interval '1 day'; return new;
ends a token a day after it expires | A token is active until token_expires_at | before insert on tokens | new.expires_at := new.expires_at + interval '1 day'; return new;
`;

const isRegistration = (sent: PassingRequest) => isAbout(sent, 'POST /api/v1/bots/register');

/** An invitation is refused, and the agent is registered all the same. */
const registersUninvited: Fault = {
  onRequest: (sent) => (isRegistration(sent) ? withJson(sent, ({ invitation: _, ...others }) => others) : sent),
  onReply: (reply, sent) =>
    isRegistration(sent) && reply.status === 201 && parse(sent.body)?.['invitation'] !== undefined
      ? refusal(403, 'invalid_invitation')
      : reply,
};

/** Who registers as a demonstration is one. */
function marksDemos(): Fault {
  const tokens = new Set<string>();
  const mark = (reply: PassingReply) =>
    withJson(reply, (body) => ({ ...body, bot: { ...objectIn(reply, 'bot'), is_demo: true } }));
  return {
    onRequest: (sent) => (isRegistration(sent) ? withJson(sent, ({ is_demo: _, ...others }) => others) : sent),
    onReply: (reply, sent) => {
      const isDemo = isRegistration(sent) && parse(sent.body)?.['is_demo'] === true && reply.status === 201;
      if (isDemo) tokens.add(textIn(parse(reply.body), 'token'));
      const isOwn = placeOf(sent) === '/bots/me' && tokens.has(tokenOf(sent) ?? '') && reply.status === 200;
      return isDemo || isOwn ? mark(reply) : reply;
    },
  };
}

/** The fingerprint is that of the base64 text, wherever it is shown. */
const fingerprintsText: Fault = {
  onReply: (reply) => withJson(reply, (body) => JSON.parse(JSON.stringify(body), (_, value) => withFingerprint(value))),
};

function withFingerprint(value: unknown): unknown {
  const { encryption_public_key: key, encryption_key_fingerprint: found } = (value ?? {}) as Changeable;
  if (typeof key !== 'string' || typeof found !== 'string') return value;
  return { ...(value as Changeable), encryption_key_fingerprint: createHash('sha256').update(key).digest('hex') };
}

/** What a text becomes; other values stay. */
function ofText(change: (text: string) => string): (value: unknown) => unknown {
  return (value) => (typeof value === 'string' ? change(value) : value);
}

const bytesOf = (key: string) => Buffer.from(key, 'base64');

export default furtherMutants(table, {
  values: {
    letterFirst: ofText((handle) => handle.replace(/^_/, 'x')),
    withoutHyphens: ofText((handle) => handle.replaceAll('-', '_')),
    latin: ofText((handle) => handle.replaceAll(/\p{Ll}/gu, (letter) => (letter > 'z' ? 'x' : letter))),
    longer: ofText((handle) => (handle.length === 2 ? `${handle}_${randomBytes(3).toString('hex')}` : handle)),
    trimmed: ofText((handle) => handle.replace(/\n$/, '')),
    fromUrl: ofText((key) => (/[-_]/.test(key) ? generateKeyPair().publicKey : key)),
    padded: ofText((key) => (key.length === 43 ? `${key}=` : key)),
    canonical: ofText((key) => (/^[\w+/]{43}=$/.test(key) ? bytesOf(key).toString('base64') : key)),
    cut: ofText((key) => (bytesOf(key).length === 33 ? bytesOf(key).subarray(0, 32).toString('base64') : key)),
    filled: ofText((key) => (bytesOf(key).length === 31 ? generateKeyPair().publicKey : key)),
  },
  faults: {
    repeatsRegistrations: repeatsReplies((sent) => handleOf(sent) || undefined),
    racesHandles,
    countsNameBytes: refuses(
      'POST /api/v1/bots/register',
      (body) => Buffer.byteLength(textIn(body, 'display_name')) > 80,
      400,
      'invalid_input',
    ),
    fingerprintsText,
    registersUninvited,
    marksDemos,
  },
});
