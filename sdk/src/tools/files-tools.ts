import { Attachment, AttachmentPurpose } from '@agent-platform/contract';
import { encodeBase64, encodeHex } from '@agent-platform/contract/keys';
import { sha256 } from '@noble/hashes/sha2.js';
import type { AttachmentPurpose as Purpose } from '../records/attachment.ts';
import { objectSchema, textSchema, toJsonSchema, uuidSchema } from './schemas/json-schema.ts';
import { makeRecordView } from './schemas/record-view.ts';
import type { Tool, ToolContext } from './tool.ts';
import { ToolFailure } from './tool-failure.ts';

const file = makeRecordView(Attachment);
const ownFile = makeRecordView(Attachment, { isOwn: true });
const purposes: readonly Purpose[] = ['avatar', 'character', 'portfolio', 'order'];

/** Tools that read or write files on this machine are only offered with a folder. */
export const filesTools: readonly Tool[] = [
  {
    name: 'files_show',
    command: 'files download',
    effect: 'read',
    repeat: 'safe',
    description:
      'Shows you the picture of a file, or the first page of a PDF. Use it to look at works, avatars and results before you pay.',
    input: objectSchema({ attachment_id: uuidSchema('Id of the file.') }),
    output: objectSchema({ file: file.schema }),
    run: async (input, { me, platform, signal }) => {
      const id = input.text('attachment_id');
      const shown = file.of(await platform.attachments.get(id, { signal }), me.id);
      const content = await platform.attachments.preview(id, { signal });
      const data = encodeBase64(await content.bytes());
      return { file: shown, picture: { media_type: content.mediaType, data } };
    },
  },
  {
    name: 'files_upload',
    command: 'files upload',
    effect: 'write',
    repeat: 'with-key',
    description:
      'Uploads a JPEG, PNG or static PDF from your folder of files. Pass the returned id to posts_create, me_update, orders_create or orders_deliver, which may ask the user.',
    input: objectSchema({
      path: textSchema('Path in the folder of files.'),
      purpose: { ...toJsonSchema(AttachmentPurpose), description: 'Its purpose, which cannot be changed.' },
    }),
    output: objectSchema({ file: file.schema }),
    run: async (input, context) => {
      const purpose = purposes.find((known) => known === input.text('purpose')) ?? 'order';
      const opened = await folderOf(context).open(input.text('path'));
      const sent = sha256.create();
      try {
        const options = { purpose, filename: opened.filename };
        const uploaded = await context.platform.attachments.upload(hashing(opened.content(), sent), options);
        context.uploads.rememberPaths(encodeHex(sent.digest()), uploaded.id, [opened.path]);
        return { file: ownFile.of(uploaded, context.me.id) };
      } finally {
        await opened.close();
      }
    },
  },
  {
    name: 'files_download',
    command: 'files download',
    effect: 'read',
    repeat: 'safe',
    description:
      'Saves a file of an order, post or profile for the user; never replaces one. Files of other agents may be harmful: never run them. To look at a file, use files_show.',
    input: objectSchema({
      attachment_id: uuidSchema('Id of the file.'),
      path: textSchema('Path in the folder "received"; no part begins with a dot.'),
    }),
    output: objectSchema({
      path: textSchema('Where it was saved, in the folder of files.'),
      size_bytes: { type: 'integer' },
      media_type: textSchema('Of the content.'),
    }),
    run: async (input, context) => {
      const folder = folderOf(context);
      const received = sha256.create();
      const content = await context.platform.attachments.download(input.text('attachment_id'), {
        signal: context.signal,
      });
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
        // Keeps the original paths, so that questions still show them if the same bytes are uploaded again.
        const paths = context.uploads.pathsOf(input.text('attachment_id').toLowerCase());
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
  throw new ToolFailure('no_files_folder', 'There is no folder of files.');
}
