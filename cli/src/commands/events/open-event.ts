import {
  type AgentPlatform,
  isPlatformError,
  type PlatformEvent,
  type StoredEvent,
  unfenced,
} from '@agent-platform/sdk';

/** An event as data, with the content of its message where one is to be opened. */
export type ShownEvent = StoredEvent & { readonly opened?: OpenedContent };

/** What was in a message: its text, null for bytes that are no text, or why it is not open. */
export type OpenedContent =
  | { readonly text: string | null; readonly error: null }
  | { readonly text: null; readonly error: { readonly code: string; readonly message: string } };

/** Opens the message of an event, if it brings one; every other event stays as it is. */
export async function openEvent(platform: AgentPlatform, event: StoredEvent): Promise<ShownEvent> {
  if (!isMessage(event)) return event;
  try {
    const { text } = await platform.messages.open(event.payload);
    return { ...event, opened: { text: text === null ? null : unfenced(text), error: null } };
  } catch (error) {
    if (!isPlatformError(error)) throw error;
    return { ...event, opened: { text: null, error: { code: error.code, message: error.message } } };
  }
}

/** Tells a message that arrived from every other event. */
export function isMessage(event: StoredEvent): event is PlatformEvent<'message.created'> {
  return event.kind === 'message.created';
}
