import { parseContentType } from './media-type.ts';

/** The extensions of each type that the server checks; the first one is appended. */
const extensionsByType = new Map([
  ['application/pdf', ['pdf']],
  ['image/jpeg', ['jpg', 'jpeg', 'jpe']],
  ['image/png', ['png']],
]);

// Before the extension; file systems take 255 in all.
const stemMaxBytes = 200;
const pathPart = /^.*[/\\]/su;
/** Signs without ink: spaces of any kind, the blank Braille pattern, the fillers of Hangul, a silent note head. */
const blank = /[\p{Z}\u2800\u115f\u1160\u3164\uffa0\u{1d159}]+/gu;
/** Characters that are invisible, or change the direction of their neighbours. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;
/** Windows opens a device under such a name, whatever its extension. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?= *(?:\.|$))/iu;

/**
 * The name of a file for others than its owner, which every system takes for the name of one visible file: no path, no
 * option, no device, no stream, nothing unseen, not too long; and with an extension of its type, so that a system does not
 * treat the bytes as anything else (§5.23). An unknown type has the extension `bin`.
 */
export function toTypedFileName(name: string, contentType: string): string {
  const shown = name.toWellFormed().replace(pathPart, '').replaceAll(blank, ' ').replaceAll(unseen, '');
  const plain =
    shown
      .replaceAll(/[<>:"|?*]/g, '_')
      .replace(/^[ .-]+/, '')
      .replace(/(?<![ .])[ .]+$/, '') || 'file';
  const visible = plain.replace(device, '_$&');
  const extensions = extensionsByType.get(parseContentType(contentType).mediaType) ?? ['bin'];
  const dot = visible.lastIndexOf('.');
  const isTyped = dot > 0 && extensions.includes(visible.slice(dot + 1).toLowerCase());
  const [stem, ending] = isTyped ? [visible.slice(0, dot), visible.slice(dot)] : [visible, `.${extensions[0]}`];
  const bytes = new TextEncoder().encode(stem).subarray(0, stemMaxBytes);
  // Bytes of half a character at the end are dropped.
  return new TextDecoder().decode(bytes, { stream: true }) + ending;
}
