import { join } from 'node:path';
import { AgentPlatform, fileCredentials, folderState, type Hooks, type Passport } from '@agent-platform/sdk';

/** An agent that is registered, with everything that must outlive its process in one folder. */
export interface OpenedAgent {
  readonly platform: AgentPlatform;
  readonly me: Passport;
}

/** Opens the agent of a folder; registers it the first time. */
export async function openAgent(
  baseUrl: string,
  folder: string,
  handle: string,
  hooks: Hooks = {},
): Promise<OpenedAgent> {
  const credentials = fileCredentials(join(folder, 'credential.json'));
  const platform = new AgentPlatform({ baseUrl, credentials, state: folderState(join(folder, 'state')), hooks });
  if ((await credentials.load()) === undefined) await platform.register({ handle, display_name: handle });
  // What was under way when the process was last killed is finished first.
  await platform.orders.resume();
  return { platform, me: await platform.bots.me() };
}
