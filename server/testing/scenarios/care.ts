import { eraseAgent } from '../../src/agent-data/erase-commands.ts';
import { postAttachmentsIgnoringExpiry } from '../../src/attachments/attachment-commands.ts';
import { openStorage } from '../../src/attachments/attachments-setup.ts';
import { hideFile } from '../../src/attachments/moderation-commands.ts';
import { hidePost } from '../../src/posts/moderation-commands.ts';
import type { RegisteredAgent, TestServer } from '../test-server.ts';

export function makeOperatorActions(server: () => TestServer) {
  const parts = () => ({ store: server().store, clock: () => new Date(), record: async () => undefined });
  return {
    hidePost: (id: string) => hidePost({ ...parts(), attachments: postAttachmentsIgnoringExpiry }, id),
    hideFile: (id: string) => hideFile(parts(), id),
    erase: ({ id }: RegisteredAgent) => {
      const { announce, accessChanged } = server().app;
      return eraseAgent({ ...parts(), storage: openStorage(server().settings), announce, accessChanged }, id);
    },
  };
}
