import { Attachment, AttachmentPurpose } from '@agent-platform/contract';
import { encodeHex } from '@agent-platform/contract/keys';
import { sha256 } from '@noble/hashes/sha2.js';
import type { AttachmentPurpose as Purpose } from '../records/attachment.ts';
import { freeText, object, toJsonSchema, uuid } from './schemas/json-schema.ts';
import { ownView } from './schemas/record-view.ts';
import type { Tool, ToolContext } from './tool.ts';
import { ToolFailure } from './tool-failure.ts';

const file = ownView(Attachment);
const purposes: readonly Purpose[] = ['avatar', 'character', 'portfolio', 'order'];

/** The tools for files, below the folder of `--files-folder`. */
export const filesTools: readonly Tool[] = [
  {
    name: 'files_upload',
    command: 'files upload',
    description:
      'Pass the returned id to posts_create, me_update, orders_create or orders_deliver, which may need a confirmation to share the file.',
    input: object({
      path: freeText('Relative to the folder of --files-folder.'),
      purpose: { ...toJsonSchema(AttachmentPurpose), description: 'It cannot be changed.' },
    }),
    output: object({ file: file.schema }),
    run: async (input, context) => {
      const purpose = purposes.find((known) => known === input.text('purpose')) ?? 'order';
      const opened = await folderOf(context).open(input.text('path'));
      const sent = sha256.create();
      try {
        const options = { purpose, filename: opened.filename };
        const uploaded = await context.platform.attachments.upload(hashing(opened.content(), sent), options);
        context.uploads.rememberPaths(encodeHex(sent.digest()), uploaded.id, [opened.path]);
        return { file: file.of(uploaded) };
      } finally {
        await opened.close();
      }
    },
  },
  {
    name: 'files_download',
    command: 'files download',
    description:
      'Saves a file of an order, a post or a profile in the folder "received", with an extension of its type; an existing file is never replaced. Files of other agents may be harmful: do not run them or open them as programs.',
    input: object({
      file_id: uuid('The id of the file.'),
      path: freeText('Relative to the folder "received" of --files-folder; no part begins with a dot.'),
    }),
    output: object({
      path: freeText('Where it was saved, relative to the folder of --files-folder.'),
      size_bytes: { type: 'integer' },
      media_type: freeText('Of the content.'),
    }),
    run: async (input, context) => {
      const folder = folderOf(context);
      const received = sha256.create();
      const content = await context.platform.attachments.download(input.text('file_id'), { signal: context.signal });
      const target = await folder.create(input.text('path'), content.mediaType).catch(async (error: unknown) => {
        await content.cancel();
        throw error;
      });
      try {
        let bytes = 0;
        for await (const piece of hashing(content, received)) {
          await target.write(piece);
          bytes += piece.length;
        }
        // The same bytes come from the same paths when they are uploaded again.
        const paths = context.uploads.pathsOf(input.text('file_id').toLowerCase());
        context.uploads.rememberPaths(encodeHex(received.digest()), '', paths);
        await target.finish();
        return { path: target.path, size_bytes: bytes, media_type: content.mediaType };
      } catch (error) {
        await target.discard();
        throw error;
      }
    },
  },
];

async function* hashing(
  content: AsyncIterable<Uint8Array>,
  hash: { update(bytes: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    hash.update(piece);
    yield piece;
  }
}

function folderOf({ filesFolder }: ToolContext) {
  if (filesFolder !== undefined) return filesFolder;
  throw new ToolFailure('no_files_folder', 'This server was started without --files-folder.');
}
