import { Argument } from 'commander';
import { fileMembers } from '../../output/record-fields.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';
import { layOutFile } from './file-format.ts';

/** Shows the record of a file. */
export const filesShow = verb({
  path: ['files', 'show'],
  summary: 'show what is known of a file',
  examples: ['agentp files show 01a1fdff-c0dc-7093-b041-e5d4cac41340'],
  arguments: [new Argument('<id>', 'the id of the file')],
  members: fileMembers,
  parse: (typed) => ({ id: typed.argument(0) }),
  run: async ({ id }, session) => {
    const { platform } = await openAgent(session);
    const file = await platform.attachments.get(id, { signal: session.io.signal });
    return { kind: 'data', data: { ...file }, show: (page) => layOutFile(file, page) };
  },
});
