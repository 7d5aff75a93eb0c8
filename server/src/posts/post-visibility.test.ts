import { type Endpoint, operations } from '@agent-platform/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type RegisteredAgent, useTestServer } from '../../testing/test-server.ts';

// Calls every read operation with every existing id and every matching search, as another agent and without a token.
// Each hidden text contains a word that does not occur elsewhere.

let stranger: RegisteredAgent;
let author: RegisteredAgent;
let closed: RegisteredAgent;
let suspended: RegisteredAgent;
const posts: Record<string, string> = {};

const secrets = ['zprivate', 'zclosed', 'zsuspended', 'zdeleted', 'zretracted', 'zbefore'];

const server = useTestServer();
beforeAll(async () => {
  const open = (handle: string) =>
    server().register(handle, { profile_public: true, display_name: handle, specialty: handle, bio: handle });
  stranger = await open('stranger');
  author = await open('author');
  closed = await open('zclosed_agent');
  suspended = await open('zsuspended_agent');
  const publish = async (name: string, agent: RegisteredAgent, body: object) => {
    const sent = { title: name, text: `${name} text`, visibility: 'public', rights_confirmed: true, ...body };
    const answer = await server().request('POST', '/api/v1/posts', { token: agent.token, body: sent });
    expect(answer.status).toBe(201);
    posts[name] = answer.body['post']?.['id'] ?? '';
  };
  const change = (name: string, body: object) =>
    server().request('PATCH', `/api/v1/posts/${posts[name]}`, { token: author.token, body });
  await publish('open', author, { kind: 'portfolio' });
  await publish('zprivate', author, { visibility: 'private' });
  await publish('zretracted', author, {});
  await change('zretracted', { visibility: 'private' });
  await publish('zbefore', author, {});
  await change('zbefore', { title: 'yafter', text: 'yafter' });
  await publish('zdeleted', author, {});
  await server().request('DELETE', `/api/v1/posts/${posts['zdeleted']}`, { token: author.token });
  await publish('zclosed', closed, { kind: 'portfolio' });
  await publish('zsuspended', suspended, {});
  await server().request('PATCH', '/api/v1/bots/me', { token: closed.token, body: { profile_public: false } });
  await server().store.transact((writer) =>
    writer.updateTable('bots').set({ suspended_at: new Date() }).where('id', '=', suspended.id).execute(),
  );
});

// Files have a separate test (attachments/file-visibility.test.ts), because not all of their responses are JSON. The
// contract contains no data of agents.
const apart: readonly string[] = ['Attachments', 'Contract'];
const reading = operations.filter(({ method, tag }) => method === 'GET' && !apart.includes(tag));

function pathsOf({ path, query }: Endpoint): string[] {
  const ids = [stranger, author, closed, suspended].map(({ id }) => id).concat(Object.values(posts));
  const filled = path.includes('{') ? ids.map((id) => path.replaceAll(/\{\w+\}/g, id)) : [path];
  const searches = ['', 'page_size=50', 'page_size=1&page=2', 'kind=portfolio', 'kind=update'];
  for (const word of [...secrets, 'z', 'author', 'text']) searches.push(`q=${word}`, `specialty=${word}`);
  const known = new Set(Object.keys(query?.properties ?? {}));
  const allowed = searches.filter((search) => [...new URLSearchParams(search).keys()].every((name) => known.has(name)));
  return filled.flatMap((one) => allowed.map((search) => `${one}?${search}`));
}

async function readEverything(token: string | undefined): Promise<{ path: string; answer: Answer }[]> {
  const answers: { path: string; answer: Answer }[] = [];
  for (const path of reading.flatMap(pathsOf)) {
    answers.push({ path, answer: await server().request('GET', path, token === undefined ? {} : { token }) });
  }
  return answers;
}

describe('what other agents can read', () => {
  it('contains no private, retracted or deleted posts, closed or suspended agents, or rights of others', async () => {
    const answers = await readEverything(stranger.token);
    const good = answers.filter(({ answer }) => answer.status === 200);

    // The scan proves nothing unless some of the calls succeed.
    expect(good.length).toBeGreaterThan(30);
    expect(good.some(({ answer }) => JSON.stringify(answer.body).includes('open text'))).toBe(true);
    for (const { path, answer } of answers) {
      const shown = JSON.stringify(answer.body);
      for (const secret of secrets) expect(shown, path).not.toContain(secret);
      for (const hidden of [closed.id, suspended.id, posts['zprivate'], posts['zclosed'], posts['zdeleted']])
        expect(shown, path).not.toContain(hidden);
      expect(shown, path).not.toContain('rights_confirmed');
    }
  });

  it('is the same whether something is hidden or never existed', async () => {
    const missing = '01a1fdff-c0dc-7093-b041-e5d4cac41340';
    const ask = (path: string) => server().request('GET', path, { token: stranger.token });
    const [noBot, noPost] = [await ask(`/api/v1/bots/${missing}`), await ask(`/api/v1/posts/${missing}`)];

    for (const { id } of [closed, suspended])
      expect(await ask(`/api/v1/bots/${id}`)).toMatchObject({ status: noBot.status, body: noBot.body });
    for (const name of ['zprivate', 'zretracted', 'zdeleted', 'zclosed', 'zsuspended'])
      expect(await ask(`/api/v1/posts/${posts[name]}`), name).toMatchObject({ status: 404, body: noPost.body });
  });

  it('is nothing without a token', async () => {
    for (const { path, answer } of await readEverything(undefined)) {
      if (path.startsWith('/api/')) expect(answer.status, path).toBe(401);
      expect(JSON.stringify(answer.body), path).not.toMatch(/zprivate|zclosed|open text/);
    }
  });

  it('does not limit the author', async () => {
    const answers = await readEverything(author.token);
    const shown = JSON.stringify(answers.map(({ answer }) => answer.body));

    for (const word of ['zprivate', 'zretracted', 'rights_confirmed']) expect(shown).toContain(word);
    for (const word of ['zclosed', 'zsuspended', 'zdeleted']) expect(shown).not.toContain(word);
  });

  it('is readable again, except private posts, when the profile is public again', async () => {
    const open = (profile_public: boolean) =>
      server().request('PATCH', '/api/v1/bots/me', { token: author.token, body: { profile_public } });
    const seen = async () => JSON.stringify((await readEverything(stranger.token)).map(({ answer }) => answer.body));
    await open(false);
    const whileClosed = await seen();
    await open(true);
    const afterwards = await seen();

    for (const word of ['open text', author.id, 'yafter']) {
      expect(whileClosed).not.toContain(word);
      expect(afterwards).toContain(word);
    }
    expect(afterwards).not.toContain('zprivate');
  });
});
