import * as sdk from '@agent-platform/sdk';

/** An event with the text of its message, null for bytes that are not text, or the error instead. */
interface OpenedEvent extends sdk.StoredEvent {
  readonly opened?: {
    readonly text: string | null;
    readonly error: { readonly code: string; readonly message: string } | null;
  };
}

/** Opens the message of an event; other events stay unchanged. */
export async function openEvent(platform: sdk.AgentPlatform, event: sdk.StoredEvent): Promise<OpenedEvent> {
  if (!isMessage(event)) return event;
  try {
    const { text } = await platform.messages.open(event.payload);
    return { ...event, opened: { text: text === null ? null : sdk.unfenced(text), error: null } };
  } catch (error) {
    if (!sdk.isPlatformError(error)) throw error;
    return { ...event, opened: { text: null, error: { code: error.code, message: error.message } } };
  }
}

/** Tells whether an event carries a message. */
export function isMessage(event: sdk.StoredEvent): event is sdk.PlatformEvent<'message.created'> {
  return event.kind === 'message.created';
}
