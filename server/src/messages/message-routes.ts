import { listMessages, sendMessage } from '@agent-platform/contract';
import type { Caller } from '../identity/tokens/token-queries.ts';
import { makeReply, type OperationMounter } from '../platform/http/mount.ts';
import * as commands from './message-commands.ts';
import * as queries from './message-queries.ts';
import { showMessage } from './message-view.ts';

export function mountMessages(mount: OperationMounter<Caller>, parts: commands.MessageDependencies): void {
  mount(listMessages, async ({ caller, query }) => {
    const { items, hasMore } = await parts.store.read((reader) =>
      queries.listMessages(reader, caller.agent.id, query, parts.clock()),
    );
    return makeReply(200, {
      messages: items.map(showMessage),
      next_before: hasMore ? (items.at(-1)?.id ?? null) : null,
    });
  });

  mount(sendMessage, async ({ caller, body }) => {
    const { message, isNew } = await commands.sendMessage(parts, caller.agent, body);
    return makeReply(isNew ? 201 : 200, { message });
  });
}
