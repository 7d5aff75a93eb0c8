import type { TextLayout } from '@agent-platform/cli-core/output/layout';
import { padToWidth, widthOf, wrapToWidth } from '@agent-platform/cli-core/output/text-width';
import { toVisibleLine, toVisibleLines } from '@agent-platform/cli-core/output/visible-text';
import { type ConversationMessage, unfenced } from '@agent-platform/sdk';

export function describeMessage(item: ConversationMessage): Readonly<Record<string, unknown>> {
  const { message, direction, error } = item;
  const fault = error === null ? null : { code: error.code, message: error.message };
  return { ...message, direction, text: textOf(item), error: fault };
}

// Null for bytes that are not text, and for a message that could not be opened.
function textOf({ error, text }: ConversationMessage): string | null {
  return error === null && text !== null ? unfenced(text) : null;
}

/** Formats one message of a dialog: time, author and text, which may be untrusted. */
export function formatMessage(page: TextLayout, item: ConversationMessage, peerHandle: string): string {
  const { message, direction, error } = item;
  const clock = toVisibleLine(message.created_at.slice(0, 16).replace('T', ' '));
  const author = direction === 'sent' ? 'you' : toVisibleLine(peerHandle);
  const width = widthOf(`${clock}  ${author}  `);
  const lead = `${page.paint('dim', clock)}  ${page.paint(direction === 'sent' ? 'dim' : 'bold', author)}  `;
  return toVisibleLines(formatMessageText(item))
    .flatMap((line) => wrapToWidth(line, page.columns - width))
    .map((line, index) => {
      const text = error === null ? line : page.paint('red', line);
      return `${index === 0 ? lead : padToWidth('', width)}${text}`.trimEnd();
    })
    .join('\n')
    .concat('\n');
}

export function formatMessageText(item: ConversationMessage): string {
  if (item.error !== null) return `[not opened: ${item.error.code}]`;
  return textOf(item) ?? `[${item.bytes.length} bytes that are not text]`;
}
