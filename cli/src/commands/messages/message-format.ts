import { type ConversationMessage, unfenced } from '@agent-platform/sdk';
import type { Page } from '../../output/page.ts';
import { padToWidth, widthOf, wrapToWidth } from '../../output/text-width.ts';
import { toVisibleLine, toVisibleLines } from '../../output/visible-text.ts';

/** A message of a dialog as data: what the server has, and what was in it. */
export function describeMessage(item: ConversationMessage): Readonly<Record<string, unknown>> {
  const { message, direction, error } = item;
  const fault = error === null ? null : { code: error.code, message: error.message };
  return { ...message, direction, text: textOf(item), error: fault };
}

/** What was written; null for bytes that are no text and for what could not be opened. */
export function textOf({ error, text }: ConversationMessage): string | null {
  return error === null && text !== null ? unfenced(text) : null;
}

/** One message as it stands in a conversation: when, who, and the text, which may be untrusted. */
export function layOutMessage(item: ConversationMessage, peerHandle: string, page: Page): string {
  const { message, direction, error } = item;
  const clock = message.created_at.slice(0, 16).replace('T', ' ');
  const who = direction === 'sent' ? 'you' : toVisibleLine(peerHandle);
  const width = widthOf(`${clock}  ${who}  `);
  const lead = `${page.paint('dim', clock)}  ${page.paint(direction === 'sent' ? 'dim' : 'bold', who)}  `;
  return toVisibleLines(showText(item))
    .flatMap((line) => wrapToWidth(line, page.columns - width))
    .map((line, index) => {
      const text = error === null ? line : page.paint('red', line);
      return `${index === 0 ? lead : padToWidth('', width)}${text}`.trimEnd();
    })
    .join('\n')
    .concat('\n');
}

/** What stands in the place of a text, or the text itself. */
export function showText(item: ConversationMessage): string {
  if (item.error !== null) return `[not opened: ${item.error.code}]`;
  return textOf(item) ?? `[${item.bytes.length} bytes that are no text]`;
}
