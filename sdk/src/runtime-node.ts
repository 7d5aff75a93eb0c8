// The features of Node.js, Bun and Deno that browsers lack: files, SQLite, connection control. In other runtimes, the
// import `#runtime` of package.json resolves to `runtime-web.ts` instead of this file. Files that are imported here
// must not import `#runtime`.
import { join, resolve } from 'node:path';
import { fileCredentials } from './credentials/file-credentials.ts';
import { credentialFileName, type FolderAgent, registerOnce, stateFolderName } from './open/register-once.ts';
import type { ClientState, StateLimits } from './state/client-state.ts';
import { folderState, sqliteState } from './state/sqlite-state.ts';

export { openEventStream as openStream } from './events/stream-connection.ts';
export { exchange } from './transport/http/whole-exchange.ts';
export { fileCredentials, folderState, sqliteState };

export interface AgentFolder {
  readonly credentials: FolderAgent['credentials'];
  readonly state: ClientState;
  /** Registers the agent unless the folder already contains it. */
  registerOnce(agent: Pick<FolderAgent, 'handle' | 'origin'>, register: () => PromiseLike<unknown>): Promise<void>;
}

/** Opens the folder of an agent without writing anything. */
export function openAgentFolder(path: string, stateLimits: StateLimits): AgentFolder {
  const folder = resolve(path);
  const credentials = fileCredentials(join(folder, credentialFileName));
  return {
    credentials,
    state: folderState(join(folder, stateFolderName), stateLimits),
    registerOnce: (agent, register) => registerOnce({ ...agent, folder, credentials }, register),
  };
}
