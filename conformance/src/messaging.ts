import { isObject, type JsonObject, textsOf } from './json.ts';
import { demand, demandStatus, isUuid } from './judge.ts';
import type { PoolAgent } from './pool.ts';
import { demandList, isSameId } from './records.ts';
import type { Run } from './run.ts';
import { type Envelope, envelopeMembers } from './sealing.ts';
import type { Exchange } from './wire.ts';

/** Where messages are. */
export const messagesPath = '/api/v1/messages';

/** Asks for something to be sent. */
export function askToSend(run: Run, { token }: PoolAgent, message: JsonObject): Promise<Exchange> {
  return run.ask({ method: 'POST', path: messagesPath, token, json: message });
}

/** Sends an envelope; that must make a new message. */
export async function send(run: Run, sender: PoolAgent, envelope: Envelope): Promise<Exchange> {
  const answer = await askToSend(run, sender, { ...envelope });
  demandStatus(answer, 201);
  return answer;
}

/** Asks for the newest messages of a dialog. */
export function askForDialog(run: Run, { token }: PoolAgent, peer: PoolAgent, before?: string): Promise<Exchange> {
  const query = new URLSearchParams({ peer: peer.id, ...(before === undefined ? {} : { before }) });
  return run.ask({ path: `${messagesPath}?${query}`, token });
}

/** Reads the newest messages of a dialog; that must work. */
export async function readDialog(run: Run, reader: PoolAgent, peer: PoolAgent, before?: string): Promise<Exchange> {
  const answer = await askForDialog(run, reader, peer, before);
  demandStatus(answer, 200);
  demandList(answer);
  return answer;
}

/** The places of the messages with this ciphertext in a dialog. */
export function placesOf(dialog: Exchange, { ciphertext }: Pick<Envelope, 'ciphertext'>): readonly number[] {
  return demandList(dialog).flatMap((message, place) => (carries(message, ciphertext) ? [place] : []));
}

/** Demands that a dialog has an envelope once, byte for byte, and returns the message. */
export function demandEnvelope(dialog: Exchange, envelope: Envelope): JsonObject {
  const [place, ...others] = placesOf(dialog, envelope);
  demand(place !== undefined, 'the message is not in the dialog', dialog);
  demand(others.length === 0, `the message is in the dialog ${others.length + 1} times`, dialog);
  const message = findCarrier(demandList(dialog)[place], envelope.ciphertext);
  demand(message !== undefined, 'the message is not in the dialog', dialog);
  for (const name of envelopeMembers) {
    const isSame = isUuid(envelope[name]) ? isSameId(message[name], envelope[name]) : message[name] === envelope[name];
    demand(isSame, `"${name}" is not as it was sent`, dialog);
  }
  return message;
}

/**
 * The ids of the messages of a dialog. How the id of a message is called is not stated: it is the
 * one UUID at the top of a message that no other message has, beside the id that its sender chose.
 */
export function messageIds(dialog: Exchange): readonly string[] {
  const messages = demandList(dialog);
  const names = [...new Set(['id', ...messages.flatMap((message) => Object.keys(message))])];
  const given = new Set(messages.flatMap(({ recipient_id, client_message_id }) => [recipient_id, client_message_id]));
  const name = names.find((member) => isKeyOf(messages, member) && !messages.some((one) => given.has(one[member])));
  demand(messages.length === 0 || name !== undefined, 'no UUID tells one message from another', dialog);
  return messages.map((message) => String(message[name ?? 'id']));
}

function isKeyOf(messages: readonly JsonObject[], name: string): boolean {
  const values = messages.map((message) => message[name]);
  return values.every(isUuid) && new Set(values).size === messages.length;
}

/** Demands that a text is nowhere in a dialog. */
export function demandAbsent(dialog: Exchange, text: string): void {
  demand(!textsOf(dialog.json).some((leaf) => leaf.text.includes(text)), 'the message is in the dialog', dialog);
}

function carries(message: JsonObject, ciphertext: string): boolean {
  return findCarrier(message, ciphertext) !== undefined;
}

// The envelope may be the message itself, or stand in it.
function findCarrier(value: unknown, ciphertext: string): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  if (value['ciphertext'] === ciphertext) return value;
  for (const member of Object.values(value)) {
    const found = findCarrier(member, ciphertext);
    if (found !== undefined) return found;
  }
  return undefined;
}
