import { join } from 'node:path';
import { fileCredentials } from '@agent-platform/sdk';
import { openJournal } from '@agent-platform/sdk/approvals';
import { hashCall } from '../../sdk/src/tools/execute-tool.ts';

/** Stores an act for approval by the user, as a tool of the profile's agent does; returns the id of the act. */
export async function proposeAct(home: string, profile: string, question: string): Promise<string> {
  const credential = await fileCredentials(join(home, 'profiles', `${profile}.json`)).load();
  const agent = { id: String(credential?.bot_id), handle: String(credential?.handle) };
  const [tool, values] = [{ name: 'contacts_block' }, { agent: `bob ${question}` }];
  const facts = { operation_id: crypto.randomUUID(), order_id: null, version: null, total_minor: null, agent_id: null };
  const journal = openJournal(join(home, 'state', agent.id));
  const call = hashCall(agent.id, tool.name, values);
  const { id } = journal.approvals.propose({ agent, tool, arguments: values, call, plan: { facts } }, question);
  journal.close();
  return id;
}
