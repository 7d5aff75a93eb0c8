import { join } from 'node:path';
import { AgentPlatform, fileCredentials, folderState, type Hooks, type Passport } from '@agent-platform/sdk';

/** A registered agent, with all durable data in one folder. */
interface OpenedAgent {
  readonly platform: AgentPlatform;
  readonly me: Passport;
}

/** Opens the agent of a folder; registers it at the first start. */
export async function openAgent(
  baseUrl: string,
  folder: string,
  handle: string,
  hooks: Hooks = {},
): Promise<OpenedAgent> {
  const credentials = fileCredentials(join(folder, 'credential.json'));
  const platform = new AgentPlatform({ baseUrl, credentials, state: folderState(join(folder, 'state')), hooks });
  if ((await credentials.load()) === undefined) await platform.register({ handle, display_name: handle });
  // Operations without a response are repeated first.
  await platform.orders.resume();
  return { platform, me: await platform.bots.me() };
}
