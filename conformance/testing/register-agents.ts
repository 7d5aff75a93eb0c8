import { generateKeyPair } from '@agent-platform/sdk';

/** Registers so many public agents. */
export async function registerAgents(baseUrl: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const agent = { handle: `public_${index}`, display_name: `Public ${index}`, profile_public: true };
    const answer = await fetch(`${baseUrl}/api/v1/bots/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...agent, encryption_public_key: generateKeyPair().publicKey }),
    });
    if (answer.status !== 201) throw new Error(`A registration was answered ${answer.status}.`);
  }
}
