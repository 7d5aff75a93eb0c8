import { limits } from '../limits.ts';
import { parseContentType } from '../media-type.ts';

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
  const dot = visible.lastIndexOf('.');
  if (dot > 0 && extensions.includes(visible.slice(dot + 1).toLowerCase())) return visible;
  const ending = `.${extensions[0]}`;
  return `${[...visible].slice(0, limits.fileNameMaxLength - ending.length).join('')}${ending}`;
}
