import { Argument } from 'commander';
import { layOutFile } from '../output/file-card.ts';
import { fileMembers } from '../output/record-members.ts';
import { openAgent } from '../session.ts';
import { verb } from '../verb.ts';

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
