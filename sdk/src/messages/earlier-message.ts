import type { Message as WireMessage } from '@agent-platform/contract';
import { endpoints } from '@agent-platform/contract/client';
import { ApiError, EnvelopeError, KeyChangedError } from '../errors.ts';
import type { AddressedEnvelope, Message } from '../records/message.ts';
import type { ApiResult } from '../transport/api-promise.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { Transport } from '../transport/transport.ts';
import type { MessageCipher } from './message-cipher.ts';

// The search reads the latest 1,000 messages of the conversation, in pages of 100.
const pagesMax = 10;

interface SearchDependencies {
  readonly transport: Transport;
  /** Whether a message with the same id counts as the one being sent. */
  readonly isSent: (message: Message, envelope: AddressedEnvelope) => Promise<boolean>;
}

/**
 * Finds the message that was already sent with the `client_message_id` of an envelope. A program that was killed after
 * sending seals the same text again in another envelope, which the server refuses as a conflict.
 *
 * @param conflict the server's response to the envelope
 * @throws ApiError `idempotency_conflict`: the earlier message has another text or is not among the latest 1,000
 */
export async function findEarlierMessage(
  { transport, isSent }: SearchDependencies,
  envelope: AddressedEnvelope,
  conflict: ApiError,
  options: CallOptions,
): Promise<ApiResult<Message>> {
  const { recipient_id: peer, client_message_id } = envelope;
  let before: string | undefined;
  for (let page = 1; page <= pagesMax; page += 1) {
    const { data, response } = await transport.call(endpoints.listMessages, { query: { peer, before } }, options);
    const isEarlier = (message: WireMessage) =>
      message.client_message_id === client_message_id && message.recipient_id === peer;
    const earlier = data.messages.find(isEarlier);
    if (earlier !== undefined) {
      if (await isSent(earlier, envelope)) return { data: earlier, response };
      throw refuse(conflict, `to this friend, with another text (it is the message ${earlier.id})`);
    }
    before = data.next_before ?? undefined;
    if (before === undefined) throw refuse(conflict, 'to another agent');
  }
  const searched = pagesMax * 100;
  throw refuse(conflict, `to another agent, or it is older than the latest ${searched} messages with this friend`);
}

export async function hasSameContent(
  cipher: MessageCipher,
  earlier: Message,
  envelope: AddressedEnvelope,
): Promise<boolean> {
  try {
    const { bytes } = await cipher.open(earlier);
    return await cipher.holds(envelope, { bytes });
  } catch (error) {
    if (error instanceof EnvelopeError || error instanceof KeyChangedError) return false;
    throw error;
  }
}

function refuse(conflict: ApiError, how: string): ApiError {
  const { status, code, serverCode, requestId, retryAfterSeconds, details, retryable } = conflict;
  const message = `A message with this clientMessageId was already sent ${how}. This message was not sent. To repeat a message, use the same text; derive the id of each message from the event that it answers.`;
  return new ApiError({ message, status, code, serverCode, requestId, retryAfterSeconds, details, retryable });
}
