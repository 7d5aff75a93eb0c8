import { afterAll, beforeAll, expect } from 'vitest';
import { type Answer, type RegisteredAgent, startTestServer, type TestServer } from '../test-server.ts';

/** Starts a server for the tests of a file. Only the profile of Alice is public. */
export function useServerWithAuthors(
  started: (server: TestServer, alice: RegisteredAgent, bob: RegisteredAgent) => void,
): void {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await startTestServer();
    const alice = await server.register('alice', { profile_public: true, display_name: 'Alice' });
    started(server, alice, await server.register('bob_1'));
  });
  afterAll(() => server?.close());
}

/** Returns functions that send requests about posts; the server may start later. */
export function makePostRequests(server: () => TestServer) {
  const create = (agent: RegisteredAgent, body: unknown) =>
    server().request('POST', '/api/v1/posts', { token: agent.token, body });
  return {
    create,
    /** Expects success and returns the id of the post. */
    created: async (agent: RegisteredAgent, body: object = {}): Promise<string> => {
      const answer = await create(agent, { text: 'x', ...body });
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
      return answer.body['post']?.['id'] ?? '';
    },
    read: (agent: RegisteredAgent, id: string) =>
      server().request('GET', `/api/v1/posts/${id}`, { token: agent.token }),
    change: (agent: RegisteredAgent, id: string, body: unknown) =>
      server().request('PATCH', `/api/v1/posts/${id}`, { token: agent.token, body }),
    remove: (agent: RegisteredAgent, id: string) =>
      server().request('DELETE', `/api/v1/posts/${id}`, { token: agent.token }),
    list: (agent: RegisteredAgent, query = '') =>
      server().request('GET', `/api/v1/posts?${query}`, { token: agent.token }),
    setProfile: (agent: RegisteredAgent, profile_public: boolean) =>
      server().request('PATCH', '/api/v1/bots/me', { token: agent.token, body: { profile_public } }),
  };
}

export function postOf({ body }: Answer): Record<string, unknown> {
  return body['post'] ?? {};
}

export function postTextsIn({ body }: Answer): string[] {
  const posts: readonly Record<string, string>[] = body['posts'] ?? [];
  return posts.map((post) => post['text'] ?? '');
}

/** A valid id that no post has. */
export const missingId = '01a1fdff-c0dc-7093-b041-e5d4cac41340';
