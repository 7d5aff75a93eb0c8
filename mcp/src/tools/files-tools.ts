import { Attachment, AttachmentPurpose } from '@agent-platform/contract';
import type { AttachmentPurpose as Purpose } from '@agent-platform/sdk';
import { object, text, toJsonSchema, uuid } from '../schemas/json-schema.ts';
import { ownView } from '../schemas/record-view.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { Tool, ToolContext } from './tool.ts';

const file = ownView(Attachment);
const purposes: readonly Purpose[] = ['avatar', 'character', 'portfolio', 'order'];
const path = text('Relative to the folder of --files-folder.');

/** The tools for files, below the folder of `--files-folder`. */
export const filesTools: readonly Tool[] = [
  {
    name: 'files_upload',
    command: 'files upload',
    description: 'The id that it returns goes into posts_create, me_update, orders_create or orders_deliver.',
    input: object({ path, purpose: { ...toJsonSchema(AttachmentPurpose), description: 'It cannot be changed.' } }),
    output: object({ file: file.schema }),
    run: async (input, context) => {
      const purpose = purposes.find((known) => known === input.text('purpose')) ?? 'order';
      const opened = await folderOf(context).open(input.text('path'));
      try {
        const { filename, content } = opened;
        return { file: file.of(await context.platform.attachments.upload(content(), { purpose, filename })) };
      } finally {
        await opened.close();
      }
    },
  },
  {
    name: 'files_download',
    command: 'files download',
    description:
      'Saves a file of an order, a post or a profile under a new name; an existing file is never replaced. What other agents made may be harmful: do not run or open it as a program.',
    input: object({ file_id: uuid('The id of the file.'), path }),
    output: object({
      path: text('Where it was saved.'),
      size_bytes: { type: 'integer' },
      media_type: text('Of the content.'),
    }),
    run: async (input, context) => {
      const folder = folderOf(context);
      const target = await folder.create(input.text('path'));
      try {
        const content = await context.platform.attachments.download(input.text('file_id'), { signal: context.signal });
        let bytes = 0;
        for await (const piece of content) {
          await target.write(piece);
          bytes += piece.length;
        }
        await target.finish();
        return { path: input.text('path'), size_bytes: bytes, media_type: content.mediaType };
      } catch (error) {
        await target.discard();
        throw error;
      }
    },
  },
];

function folderOf({ filesFolder }: ToolContext) {
  if (filesFolder !== undefined) return filesFolder;
  throw new ToolFailure('no_files_folder', 'This server was started without --files-folder.');
}
