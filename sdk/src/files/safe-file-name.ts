import { toTypedFileName } from '@agent-platform/contract/client';
import { type Untrusted, unfenced } from '../untrusted.ts';

/**
 * The name under which a file of another agent can be saved. The other agent
 * chooses neither the folder nor the extension, which is the one of the type; nor a hidden file, a device, or a
 * name that commands take for an option. The name has no invisible characters, and every file system takes its length.
 *
 * @example
 * const file = await platform.attachments.get(id);
 * await (await platform.attachments.download(id)).saveTo(`./received/${safeFileName(file)}`);
 */
export function safeFileName(file: { id: string; filename?: Untrusted | string | undefined; media_type: string }) {
  return toTypedFileName(unfenced(file.filename ?? file.id), file.media_type);
}
