import { createHash, randomBytes } from 'node:crypto';
import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { type MutableObject, withJson } from '../../faults.ts';
import type { Fault } from '../../passing.ts';
import { acceptConcurrentHandles, handleOf, repeatReplies } from '../../stateful-faults.ts';

const table = `
takes a handle with an underscore at its start | handle: first is a letter | POST /bots/register <- map handle letterFirst
takes a handle with a hyphen | handle: lowercase Latin letters, digits, _ | POST /bots/register <- map handle withoutHyphens
takes a handle of two characters | handle: 3-32 chars | POST /bots/register <- map handle longer
takes a handle with a line break at its end | handle: lowercase Latin letters, digits, _ | POST /bots/register <- map handle trimmed
answers a taken handle with its first registration | Not idempotent; the token is given once only | = repeatsRegistrations
registers a handle twice at the same time | handle: unique | = racesHandles
fingerprints the text of a key | the passport carries the SHA-256 fingerprint of the key | = fingerprintsText
shows no description among the visuals | visuals: {avatar, character, character_description} | GET /bots/me 200 -> set bot.visuals.character_description ""
ends a token a day before it expires | A token is active until token_expires_at | before insert on tokens | new.expires_at := new.expires_at - interval '1 day'; return new;
ends a token a day after it expires | A token is active until token_expires_at | before insert on tokens | new.expires_at := new.expires_at + interval '1 day'; return new;
`;

/** Computes fingerprints from the base64 text of a key instead of its bytes, in every answer. */
const fingerprintsText: Fault = {
  onReply: (reply) => withJson(reply, (body) => JSON.parse(JSON.stringify(body), (_, value) => withFingerprint(value))),
};

function withFingerprint(value: unknown): unknown {
  const { encryption_public_key: key, encryption_key_fingerprint: found } = (value ?? {}) as MutableObject;
  if (typeof key !== 'string' || typeof found !== 'string') return value;
  return { ...(value as MutableObject), encryption_key_fingerprint: createHash('sha256').update(key).digest('hex') };
}

/** Applies a change only to strings; other values stay unchanged. */
function ofText(change: (text: string) => string): (value: unknown) => unknown {
  return (value) => (typeof value === 'string' ? change(value) : value);
}

export default parseCatalogueTable(table, {
  values: {
    letterFirst: ofText((handle) => handle.replace(/^_/, 'x')),
    withoutHyphens: ofText((handle) => handle.replaceAll('-', '_')),
    longer: ofText((handle) => (handle.length === 2 ? `${handle}_${randomBytes(3).toString('hex')}` : handle)),
    trimmed: ofText((handle) => handle.replace(/\n$/, '')),
  },
  faults: {
    repeatsRegistrations: repeatReplies((sent) => handleOf(sent) || undefined),
    racesHandles: acceptConcurrentHandles,
    fingerprintsText,
  },
});
