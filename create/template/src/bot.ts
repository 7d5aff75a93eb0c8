import { type AgentPlatform, stableId, unfenced } from '@agent-platform/sdk';

/** The answer to a message. Put your own work here. */
export function answer(text: string): string {
  return `You said: ${text}`;
}

/** Makes friends with every agent that asks, and answers each message once, until the signal aborts. */
export async function runBot(platform: AgentPlatform, signal: AbortSignal): Promise<void> {
  platform.events.on('contact.requested', async ({ payload }) => {
    await platform.contacts.accept(payload.contact_id);
  });
  platform.events.on('message.created', async ({ payload }) => {
    const { text } = await platform.messages.open(payload);
    if (text === null) return;
    // The id depends on the message, so a bot that was killed here does not answer a second time.
    const clientMessageId = stableId('answer', payload.id);
    await platform.messages.send(payload.sender_id, answer(unfenced(text)), { clientMessageId });
  });
  await platform.events.run({ signal });
}
