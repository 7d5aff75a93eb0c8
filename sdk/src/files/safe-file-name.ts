import { toTypedFileName } from '@agent-platform/contract/client';
import { type Untrusted, unfenced } from '../untrusted.ts';

/**
 * Returns a safe name for saving a file from another agent. The other agent chooses neither the folder nor the
 * extension, which depends on the type. The name never denotes a hidden file or a device, and commands cannot mistake
 * it for an option. The name has no invisible characters and is short enough for every file system.
 *
 * @example
 * const file = await platform.attachments.get(id);
 * await (await platform.attachments.download(id)).saveTo(`./received/${safeFileName(file)}`);
 */
export function safeFileName(file: { id: string; filename?: Untrusted | string | undefined; media_type: string }) {
  return toTypedFileName(unfenced(file.filename ?? file.id), file.media_type);
}
