import { Argument } from 'commander';
import { CuredError } from '../../errors/failure.ts';
import { Interruption } from '../../errors/interruption.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';

/** Deletes an own post for good. */
export const postsDelete = verb({
  path: ['posts', 'delete'],
  summary: 'delete an own post for good',
  examples: ['agentp posts delete 01a1fdff-c0dc-7093-b041-e5d4cac41340'],
  arguments: [new Argument('<id>', 'the id of the post')],
  members: { deleted: 'value', id: 'value' },
  parse: (typed) => ({ id: typed.argument(0) }),
  run: async ({ id }, session) => {
    const { platform } = await openAgent(session);
    await platform.posts.delete(id, { signal: session.io.signal }).catch((error: unknown) => {
      if (!(error instanceof Interruption)) throw error;
      throw new CuredError(error, `It is not known whether the post was deleted: agentp posts show ${id}`);
    });
    return { kind: 'data', data: { deleted: true, id }, show: () => `The post ${id} is deleted\n` };
  },
});
