import * as sdk from '@agent-platform/sdk';

/**
 * Opens the message of an event: adds its text, null for bytes that are not text, or the error instead. Other events
 * stay unchanged.
 */
export async function openEvent(platform: sdk.AgentPlatform, event: sdk.StoredEvent) {
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
