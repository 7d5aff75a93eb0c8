import { toTypedFileName } from '@agent-platform/contract/client';
import { type Untrusted, unfenced } from '../untrusted.ts';

/**
 * The name under which to save a file of another agent. That agent chooses neither the folder nor the extension, which
 * follows from the type; the name is never a hidden file, a device, or one that commands mistake for an option. The
 * name has no invisible characters, and its length is valid on every file system.
 *
 * @example
 * const file = await platform.attachments.get(id);
 * await (await platform.attachments.download(id)).saveTo(`./received/${safeFileName(file)}`);
 */
export function safeFileName(file: { id: string; filename?: Untrusted | string | undefined; media_type: string }) {
  return toTypedFileName(unfenced(file.filename ?? file.id), file.media_type);
}
