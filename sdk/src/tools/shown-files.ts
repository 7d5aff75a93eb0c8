import { toTypedFileName } from '@agent-platform/contract';
import type { Attachment, OwnAttachment } from '../records/attachment.ts';
import { unfenced } from '../untrusted.ts';
import type { ToolContext } from './tool.ts';

/** The name is the one under which other agents download the file. */
export function summarizeFile(file: Attachment | OwnAttachment, { uploads }: Pick<ToolContext, 'uploads'>) {
  const { id, filename, media_type, size_bytes: bytes } = file;
  const name = filename === undefined ? id : toTypedFileName(unfenced(filename), media_type);
  return { name, bytes, paths: uploads.pathsOf(id) };
}

export async function summarizeFiles(ids: readonly string[], context: ToolContext) {
  const { platform, signal } = context;
  return await Promise.all(
    ids.map(async (id) => summarizeFile(await platform.attachments.get(id, { signal }), context)),
  );
}

export async function describeReadableFiles(
  ids: readonly string[],
  reader: string,
  context: ToolContext,
): Promise<string> {
  if (ids.length === 0) return '';
  return ` Files of this agent that ${reader} can then read: ${JSON.stringify(await summarizeFiles(ids, context))}.`;
}
