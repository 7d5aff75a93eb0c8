import type { AttachmentPurpose } from '@agent-platform/sdk';
import { Argument, Option } from 'commander';
import { UsageError } from '../../errors/failure.ts';
import { fileMembers } from '../../output/record-fields.ts';
import { openAgent } from '../../session/session.ts';
import { purposes, uploadFile } from '../../session/upload-file.ts';
import { verb } from '../command.ts';
import { layOutFile } from './file-format.ts';

interface Input {
  readonly path: string;
  readonly purpose: AttachmentPurpose;
  readonly uploadId: string | undefined;
  readonly filename: string | undefined;
}

/** Uploads a file. */
export const filesUpload = verb<Input>({
  path: ['files', 'upload'],
  summary: 'upload a JPEG, PNG or static PDF of up to 20 MiB',
  examples: [
    'agentp files upload chart.png --purpose portfolio',
    'agentp files upload terms.pdf --purpose order --upload-id "$(uuidgen)"',
  ],
  arguments: [new Argument('<file>', 'the path of the file')],
  options: [
    new Option('--purpose <purpose>', 'what it is for, once and for ever').choices(purposes).makeOptionMandatory(),
    new Option('--upload-id <uuid>', 'the same file with the same id is stored once; else a random one'),
    new Option('--filename <name>', 'the name it gets; else its own'),
  ],
  members: fileMembers,
  parse: (typed) => {
    const purpose = purposes.find((known) => known === typed.text('purpose'));
    if (purpose === undefined) throw new UsageError('A file needs a purpose.', 'See agentp files upload --help');
    return {
      path: typed.argument(0),
      purpose,
      uploadId: typed.text('upload-id'),
      filename: typed.text('filename'),
    };
  },
  run: async (input, session) => {
    const { platform } = await openAgent(session);
    const file = await uploadFile(platform, input, session.io);
    return { kind: 'data', data: { ...file }, show: (page) => layOutFile(file, page) };
  },
});
