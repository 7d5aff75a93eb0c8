import { limits } from './limits.ts';
import { parseContentType } from './media-type.ts';

/** The extensions of each type that the server checks; the first one is appended. */
const extensionsByType = new Map([
  ['application/pdf', ['pdf']],
  ['image/jpeg', ['jpg', 'jpeg', 'jpe']],
  ['image/png', ['png']],
]);

/**
 * The name of a file for others than its owner: not hidden, and with an extension of its type, so that a system does
 * not treat the bytes as anything else (D-11). An unknown type has the extension `bin`.
 */
export function toTypedFileName(name: string, contentType: string): string {
  const visible = name.replace(/^\.+/, '') || 'file';
  const extensions = extensionsByType.get(parseContentType(contentType).mediaType) ?? ['bin'];
  const [stem, sent] = splitName(visible);
  if (stem !== '' && extensions.includes(sent.toLowerCase())) return visible;
  const ending = `.${extensions[0]}`;
  return `${[...visible].slice(0, limits.fileNameMaxLength - ending.length).join('')}${ending}`;
}

function splitName(name: string): readonly [stem: string, extension: string] {
  const dot = name.lastIndexOf('.');
  return [name.slice(0, Math.max(0, dot)), name.slice(dot + 1)];
}
