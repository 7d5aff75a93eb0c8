import { request } from 'undici';
import { type RegisteredAgent, registerAgent } from './registered-agent.ts';

/** Two agents that may send each other messages. */
export interface Friends {
  readonly sender: RegisteredAgent;
  readonly recipient: RegisteredAgent;
}

/** Registers pairs of agents and makes friends of each pair. */
export async function makeFriends(url: string, pairs: number): Promise<readonly Friends[]> {
  const made: Friends[] = [];
  for (let number = 1; number <= pairs; number += 1) {
    const sender = await registerAgent(url, `sender_${number}`);
    const recipient = await registerAgent(url, `recipient_${number}`);
    const asked = await post(url, '/api/v1/contacts/requests', sender.token, { recipient_id: recipient.id });
    const { contact }: { readonly contact: { readonly contact_id: string } } = JSON.parse(asked);
    await post(url, `/api/v1/contacts/${contact.contact_id}/accept`, recipient.token, {});
    made.push({ sender, recipient });
  }
  return made;
}

async function post(url: string, path: string, token: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const answer = await request(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${path} answered ${answer.statusCode} ${text}`);
  return text;
}
