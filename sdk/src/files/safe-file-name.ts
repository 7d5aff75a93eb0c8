import { basename, parse } from 'node:path';
import { toTypedFileName } from '@agent-platform/contract';
import { type Untrusted, unfenced } from '../untrusted.ts';

/** The most bytes of a name before its extension; file systems take 255 in all. */
const stemMaxBytes = 200;

/**
 * The name under which a file of another agent can be saved. The other agent
 * chooses neither the folder, nor a hidden file, nor a name that commands take for an option, nor the
 * extension: that is the one of the type. The name has no control characters, and every file
 * system takes its length.
 *
 * @example
 * const file = await platform.attachments.get(id);
 * await (await platform.attachments.download(id)).saveTo(`./received/${safeFileName(file)}`);
 */
export function safeFileName(file: { id: string; filename?: Untrusted | string | undefined; media_type: string }) {
  const sent = unfenced(file.filename ?? file.id);
  const visible = basename(sent.replaceAll('\\', '/')).replaceAll(/\p{Cc}|\p{Cf}/gu, '');
  const named = toTypedFileName(/^(?:[.-]|$)/.test(visible) ? `file${visible}` : visible, file.media_type);
  const { name: stem, ext } = parse(named);
  return `${cut(stem, stemMaxBytes)}${ext}`;
}

/** Bytes of half a character at the end are dropped. */
function cut(text: string, maxBytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes), { stream: true });
}
