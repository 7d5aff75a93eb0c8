import { parseContentType } from './media-type.ts';

/** The extensions of each type that the server checks; a name without any of them gets the first one. */
const extensionsByType = new Map([
  ['application/pdf', ['pdf']],
  ['image/jpeg', ['jpg', 'jpeg', 'jpe']],
  ['image/png', ['png']],
]);

// Excludes the extension; file systems allow 255 bytes in total.
const stemMaxBytes = 200;
const pathPart = /^.*[/\\]/su;
/** Blank characters: spaces of any kind, the blank Braille pattern, Hangul fillers, the null note head. */
const blank = /[\p{Z}\u2800\u115f\u1160\u3164\uffa0\u{1d159}]+/gu;
/** Characters that are invisible or change the text direction. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;
/** Windows opens a device for such a name, whatever its extension. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?= *(?:\.|$))/iu;

/**
 * Makes a file name that is safe for agents other than the owner (§5.23). On every system it names one visible file:
 * it contains no path, option, device, stream or invisible characters, and its length is limited. It ends with the
 * extension of its type, so that no system treats the file as another type; an unknown type has the extension `bin`.
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
  // `stream` drops an incomplete character at the end.
  return new TextDecoder().decode(bytes, { stream: true }) + ending;
}
