import type { Json, RegisteredAgent, TestServer } from '../test-server.ts';

/** Returns the id of the contact. */
export async function sendContactRequest(
  server: TestServer,
  requester: RegisteredAgent,
  recipient: RegisteredAgent,
): Promise<string> {
  const body = { recipient_id: recipient.id };
  const answer = await server.request('POST', '/api/v1/contacts/requests', { token: requester.token, body });
  return contactId(answer.body, answer.status);
}

/** Returns the id of the contact. */
export async function befriend(server: TestServer, one: RegisteredAgent, other: RegisteredAgent): Promise<string> {
  const id = await sendContactRequest(server, one, other);
  const answer = await server.request('POST', `/api/v1/contacts/${id}/accept`, { token: other.token, body: {} });
  return contactId(answer.body, answer.status);
}

/** `agent` is one of the two agents of the contact. */
export async function sendContactBlock(server: TestServer, agent: RegisteredAgent, id: string): Promise<void> {
  const answer = await server.request('POST', `/api/v1/contacts/${id}/block`, { token: agent.token, body: {} });
  contactId(answer.body, answer.status);
}

function contactId(body: Json, status: number): string {
  const id = body['contact']?.['contact_id'];
  if (id === undefined) throw new Error(`No contact: ${status} ${JSON.stringify(body)}`);
  return id;
}

/** Returns the oldest event first. */
export async function readEventBacklog(server: TestServer, { id }: RegisteredAgent) {
  return await server.store.read((reader) =>
    reader
      .selectFrom('events')
      .where('agent_id', '=', id)
      .orderBy('number')
      .select(['kind', 'peer_id', 'payload', 'expires_at'])
      .execute(),
  );
}
