import { expect } from 'vitest';
import { readRealFile } from '../files/real-files.ts';
import { findTablesWith } from '../find-text.ts';
import { type Installation, type Instance, readPassportStatus } from '../installation.ts';
import { uploadFile } from '../scenarios/upload.ts';
import { expectRefusal, makeRegistration, type RegisteredAgent, sendRequest, type TestServer } from '../test-server.ts';

const erasedText = 'a text that no reader finds again';

/** Agents, posts and files that are revoked after a backup. */
type Owned = Awaited<ReturnType<typeof makeRevocableAgents>>;

export async function makeRevocableAgents(server: TestServer) {
  const register = (handle: string) => server.register(handle, { profile_public: true });
  const agents = {
    suspended: await register('suspended'),
    revoked: await register('revoked'),
    rotated: await register('rotated'),
    closed: await register('closed'),
    erased: await register('erased_one'),
    author: await register('author'),
  };
  const publish = async ({ token }: RegisteredAgent, text: string) => {
    const body = { text, kind: 'update', visibility: 'public', rights_confirmed: true };
    const { body: answer } = await server.request('POST', '/api/v1/posts', { token, body });
    return String(answer['post']?.['id']);
  };
  const upload = async () => {
    const sent = { file: readRealFile('upright.jpg'), purpose: 'portfolio' };
    return String((await uploadFile(server.url, agents.author.token, sent)).body['attachment']?.['id']);
  };
  await publish(agents.erased, erasedText);
  const posts = {
    hidden: await publish(agents.author, 'hidden'),
    shown: await publish(agents.author, 'hidden and shown again'),
    deleted: await publish(agents.author, 'deleted by the operator'),
    withdrawn: await publish(agents.author, 'deleted by its author'),
  };
  return { agents, posts, files: { hidden: await upload(), deleted: await upload() } };
}

/** Performs every kind of revocation. Returns the new token of the agent whose token was rotated. */
export async function revokeAll(server: TestServer, { operator }: Installation, { agents, posts, files }: Owned) {
  const { suspended, revoked, rotated, closed, erased, author } = agents;
  for (const words of [
    ['agents', 'suspend', author.handle],
    ['agents', 'reactivate', author.handle],
    ['agents', 'suspend', suspended.handle],
    ['agents', 'erase', erased.handle, '--yes'],
    ['posts', 'hide', posts.hidden],
    ['posts', 'hide', posts.shown],
    ['posts', 'show', posts.shown],
    ['posts', 'delete', posts.deleted],
    ['files', 'hide', files.hidden],
    ['files', 'delete', files.deleted],
  ])
    expect(await operator(...words)).toMatchObject({ exitCode: 0 });
  await server.request('DELETE', `/api/v1/posts/${posts.withdrawn}`, { token: author.token });
  await server.request('POST', '/api/v1/tokens/revoke', { token: revoked.token });
  await server.request('PATCH', '/api/v1/bots/me', { token: closed.token, body: { profile_public: false } });
  const issued = await server.request('POST', '/api/v1/tokens/rotate', { token: rotated.token });
  return String(issued.body['token']);
}

export async function expectRevocations(
  { url, store }: Instance,
  { operator }: Installation,
  { agents, posts, files }: Owned,
  newToken: string,
): Promise<void> {
  const { suspended, revoked, rotated, closed, erased, author } = agents;
  const tokens = [suspended, revoked, rotated, erased, author].map(({ token }) => token);
  expect(await Promise.all([...tokens, newToken].map((token) => readPassportStatus(url, token)))).toEqual([
    403, 401, 401, 401, 200, 200,
  ]);
  const { agent } = (await operator('agents', 'show', closed.handle, '--json')).json() as {
    agent: { profile_public: boolean };
  };
  expect(agent.profile_public).toBe(false);

  const again = await sendRequest(url, 'POST', '/api/v1/bots/register', { body: makeRegistration(erased.handle) });
  expectRefusal(again, 'handle_unavailable');
  expect(await findTablesWith(store, erasedText)).toEqual([]);

  const read = async (path: string, token: string) => (await sendRequest(url, 'GET', path, { token })).status;
  const { hidden, shown, deleted, withdrawn } = posts;
  const statuses = (token: string) =>
    Promise.all([hidden, shown, deleted, withdrawn].map((id) => read(`/api/v1/posts/${id}`, token)));
  expect(await statuses(newToken)).toEqual([404, 200, 404, 404]);
  expect(await statuses(author.token)).toEqual([200, 200, 404, 404]);
  const downloads = [files.hidden, files.deleted].map((id) => `/api/v1/attachments/${id}/download`);
  expect(await Promise.all(downloads.map((path) => read(path, author.token)))).toEqual([404, 404]);
}
