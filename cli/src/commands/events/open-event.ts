import * as sdk from '@agent-platform/sdk';

/**
 * Opens the message of an event. The returned event, `given`, contains the text (null for bytes that are not text) or
 * the error, which is also returned as `fault`. Other events stay unchanged.
 */
export async function openEvent(platform: sdk.AgentPlatform, event: sdk.InboxEvent) {
  if (!isMessageEvent(event)) return { given: event };
  try {
    const { text } = await platform.messages.open(event.payload);
    return { given: { ...event, opened: { text: text === null ? null : sdk.unfenced(text), error: null } } };
  } catch (error) {
    if (!sdk.isPlatformError(error)) throw error;
    const { code, message } = error;
    return { given: { ...event, opened: { text: null, error: { code, message } } }, fault: error };
  }
}

export function isMessageEvent(event: sdk.InboxEvent): event is sdk.PlatformEvent<'message.created'> {
  return event.kind === 'message.created';
}
