import Type from 'typebox';
import { exportAgent } from '../../../agent-data/export-commands.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { defineOperatorCommand, HandleOrId, makeArgumentsSchema } from '../../command.ts';
import { formatCard } from '../../format.ts';
import { openOwnStorage } from '../retention.ts';

export const exportAgentCommand = defineOperatorCommand({
  name: 'agents export',
  summary: 'export all data of an agent into a new folder, as JSON and files',
  arguments: makeArgumentsSchema({
    agent: HandleOrId,
    out: Type.Optional(
      Type.String({ title: 'folder', maxLength: 4_000, description: 'the folder to create; required' }),
    ),
  }),
  answerWithinMs: 3_600_000,
  run: async (parts, { agent, out = '' }) => {
    if (out === '') throw new Refusal('invalid_input', 'Specify the folder with --out <folder>.');
    const { clock, record, note } = parts;
    const store = await parts.store.upToDate();
    const storage = await openOwnStorage(store, parts.settings);
    return await exportAgent({ store, storage, clock, record, note }, agent, out);
  },
  audit: ({ agent, folder }) => ({ agent: agent.id, handle: agent.handle, folder }),
  format: ({ agent, folder, counts, missing_files }) => {
    const rows = Object.entries(counts).map(([name, count]) => [name, String(count)] as const);
    const missing =
      missing_files.length === 0 ? '' : `\n\nMissing or damaged in the storage: ${missing_files.join(', ')}`;
    return `${agent.handle} (${agent.id}) is exported to ${folder}.\n\n${formatCard(rows)}${missing}`;
  },
});
