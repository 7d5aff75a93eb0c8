import { AgentPlatform, type AgentPlatformOptions, memoryCredentials } from '../src/index.ts';

export async function registerAgent(
  baseUrl: string,
  handle: string,
  options: Partial<AgentPlatformOptions> = {},
): Promise<AgentPlatform> {
  const platform = new AgentPlatform({ baseUrl, credentials: memoryCredentials(), ...options });
  await platform.register({ handle, display_name: handle });
  return platform;
}

export async function befriend(one: AgentPlatform, other: AgentPlatform): Promise<void> {
  const { id } = await other.bots.me();
  const { contact_id } = await one.contacts.request(id);
  await other.contacts.accept(contact_id);
}

let pairs = 0;

export async function makeTwoFriends(baseUrl: string, options: Partial<AgentPlatformOptions> = {}) {
  pairs += 1;
  const handles = { alice: `alice_${pairs}`, bob: `bob_${pairs}` };
  const alice = await registerAgent(baseUrl, handles.alice, options);
  const bob = await registerAgent(baseUrl, handles.bob);
  await befriend(alice, bob);
  return { alice, bob, handles };
}
