// What Node.js, Bun and Deno have beyond the web: files, SQLite, control of connections. `runtime-web.ts` takes its place
// elsewhere, by the import `#runtime` of package.json. No file that is reached from here imports `#runtime`.
import { join, resolve } from 'node:path';
import { fileCredentials } from './credentials/file-credentials.ts';
import { credentialName, type FolderAgent, registerOnce, stateName } from './open/register-once.ts';
import type { ClientState, StateLimits } from './state/client-state.ts';
import { folderState, sqliteState } from './state/sqlite-state.ts';

export { openConnection as openStream } from './events/stream-connection.ts';
export { exchange } from './transport/http/whole-exchange.ts';
export { fileCredentials, folderState, sqliteState };

/** The parts of the agent that a folder holds. */
export interface AgentFolder {
  readonly credentials: FolderAgent['credentials'];
  readonly state: ClientState;
  /** Registers the agent unless the folder holds it. */
  registerOnce(agent: Pick<FolderAgent, 'handle' | 'origin'>, register: () => PromiseLike<unknown>): Promise<void>;
}

/** Opens the folder of an agent; nothing is written yet. */
export function openAgentFolder(path: string, stateLimits: StateLimits): AgentFolder {
  const folder = resolve(path);
  const credentials = fileCredentials(join(folder, credentialName));
  return {
    credentials,
    state: folderState(join(folder, stateName), stateLimits),
    registerOnce: (agent, register) => registerOnce({ ...agent, folder, credentials }, register),
  };
}
