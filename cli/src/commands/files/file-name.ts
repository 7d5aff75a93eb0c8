import { basename, parse } from 'node:path';

/** The most bytes of a name before its extension; file systems take 255 in all. */
const stemMaxBytes = 200;
const extensionMaxBytes = 20;

/**
 * The name under which a file of another agent is saved. The other agent chooses
 * neither the folder, nor a hidden file, nor one that commands take for an option; the name
 * has no control characters, and every file system takes its length.
 */
export function toFileName(untrusted: string): string {
  const visible = basename(untrusted.replaceAll('\\', '/')).replaceAll(/\p{Cc}|\p{Cf}/gu, '');
  const { name: stem, ext } = parse(/^(?:[.-]|$)/.test(visible) ? `file${visible}` : visible);
  return `${cut(stem, stemMaxBytes)}${cut(ext, extensionMaxBytes)}`;
}

/** Bytes of half a character at the end are dropped. */
function cut(text: string, maxBytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes), { stream: true });
}
