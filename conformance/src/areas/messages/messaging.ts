import type { Agent } from '../../context/agent.ts';
import type { Run } from '../../context/check.ts';
import { expect, isSameId, isUuid } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isObject, type JsonObject, listStrings } from '../../context/json.ts';
import { messagesPath } from '../../context/paths.ts';
import { type Envelope, envelopeMembers, makeEnvelope, randomBase64, sealText } from './sealing.ts';

export function postMessage(agent: Agent, message: object): Promise<Exchange> {
  return agent.post(messagesPath, message);
}

export async function sendEnvelope(sender: Agent, envelope: Envelope): Promise<Exchange> {
  return expect.works(await postMessage(sender, envelope), 201);
}

export async function sendText(run: Run, from: Agent, to: Agent, text: string): Promise<Envelope> {
  const envelope = sealText(run, from, to, text);
  await sendEnvelope(from, envelope);
  return envelope;
}

/** Checks the envelope in both dialogs, because later steps rely on it. */
export async function sendVerifiedText(run: Run, from: Agent, to: Agent, text: string): Promise<Envelope> {
  const envelope = await sendText(run, from, to, text);
  await run.precondition('AP-MESSAGE-002', () => expectInBothDialogs(from, to, envelope));
  return envelope;
}

export function requestDialog(agent: Agent, peer: Agent, before?: string): Promise<Exchange> {
  const query = new URLSearchParams({ peer: peer.id, ...(before === undefined ? {} : { before }) });
  return agent.get(`${messagesPath}?${query}`);
}

export async function readDialog(reader: Agent, peer: Agent, before?: string): Promise<Exchange> {
  const answer = expect.works(await requestDialog(reader, peer, before));
  expect.list(answer);
  return answer;
}

export function findPositions(dialog: Exchange, { ciphertext }: Pick<Envelope, 'ciphertext'>): readonly number[] {
  return expect
    .list(dialog)
    .flatMap((message, place) => (findCarrier(message, ciphertext) === undefined ? [] : [place]));
}

/** Expects an envelope exactly once in a dialog, byte for byte, and returns the message. */
export function expectEnvelope(dialog: Exchange, envelope: Envelope): JsonObject {
  const [place, ...others] = findPositions(dialog, envelope);
  const message = place === undefined ? undefined : findCarrier(expect.list(dialog)[place], envelope.ciphertext);
  expect(message !== undefined, 'the dialog does not contain the message', dialog);
  expect(others.length === 0, `the message is in the dialog ${others.length + 1} times`, dialog);
  for (const name of envelopeMembers) {
    const isSame = isUuid(envelope[name]) ? isSameId(message[name], envelope[name]) : message[name] === envelope[name];
    expect(isSame, `"${name}" differs from the sent value`, dialog);
  }
  return message;
}

export async function expectInBothDialogs(alice: Agent, bob: Agent, ...envelopes: readonly Envelope[]): Promise<void> {
  const dialogs = [await readDialog(alice, bob), await readDialog(bob, alice)];
  for (const dialog of dialogs) for (const envelope of envelopes) expectEnvelope(dialog, envelope);
}

/**
 * The message ids of a dialog. The specification does not name the member: it is the only top-level UUID, apart from
 * client_message_id, that differs in each message.
 */
export function messageIds(dialog: Exchange): readonly string[] {
  const messages = expect.list(dialog);
  const names = [...new Set(['id', ...messages.flatMap((message) => Object.keys(message))])];
  const given = new Set(messages.flatMap(({ recipient_id, client_message_id }) => [recipient_id, client_message_id]));
  const name = names.find((member) => {
    const values = messages.map((message) => message[member]);
    return values.every(isUuid) && new Set(values).size === messages.length && !values.some((one) => given.has(one));
  });
  expect(messages.length === 0 || name !== undefined, 'no UUID distinguishes the messages', dialog);
  return messages.map((message) => String(message[name ?? 'id']));
}

export function expectNotInDialog(dialog: Exchange, text: string): void {
  expect(!listStrings(dialog.json).some((leaf) => leaf.text.includes(text)), 'the message is in the dialog', dialog);
}

// Also searches inner objects, because the envelope may be the message itself or one of its members.
function findCarrier(value: unknown, ciphertext: string): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  if (value['ciphertext'] === ciphertext) return value;
  for (const member of Object.values(value)) {
    const found = findCarrier(member, ciphertext);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the strings by which the message can be found. */
export async function sendRandomMessage(run: Run, from: Agent, to: Agent): Promise<readonly string[]> {
  const envelope = makeEnvelope(run, from, to, randomBase64(run, 48));
  await sendEnvelope(from, envelope);
  return [envelope.client_message_id, envelope.nonce, envelope.ciphertext];
}
