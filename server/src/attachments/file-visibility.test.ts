import { createHash } from 'node:crypto';
import { operations } from '@agent-platform/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { readRealFile } from '../../testing/files/real-files.ts';
import { uploadFile } from '../../testing/scenarios/upload.ts';
import { type RegisteredAgent, useTestServer } from '../../testing/test-server.ts';

// Calls every read operation with every existing id, as another agent and without a token, and searches all responses
// for data of other agents' files. A similar test covers posts and profiles.

const photo = readRealFile('panorama-with-gps.jpg');
const secrets = [
  'zsecret',
  createHash('sha256').update(photo).digest('hex'),
  createHash('sha256').update(photo).digest('base64'),
  'Exif\0\0',
];

let stranger: RegisteredAgent;
let author: RegisteredAgent;
let closed: RegisteredAgent;
const open: Record<string, string> = {};
const hidden: Record<string, string> = {};
const posts: string[] = [];

const server = useTestServer();
beforeAll(async () => {
  stranger = await server().register('stranger', { profile_public: true });
  author = await server().register('author', { profile_public: true });
  closed = await server().register('closed', { profile_public: true });
  const keep = async (
    among: Record<string, string>,
    what: string,
    { token }: RegisteredAgent,
    purpose: string,
  ): Promise<string> => {
    const given = { file: photo, filename: `zsecret-${purpose}.jpg`, purpose };
    const answer = await uploadFile(server().url, token, given);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    const id = String(answer.body['attachment']?.['id']);
    among[what] = id;
    return id;
  };
  const request = async (method: string, path: string, { token }: RegisteredAgent, body?: object) => {
    const answer = await server().request(method, path, { token, ...(body === undefined ? {} : { body }) });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  const publish = async (agent: RegisteredAgent, file: string, visibility: string) => {
    const body = { text: 'With a file.', visibility, attachment_ids: [file], rights_confirmed: true };
    const post = String((await request('POST', '/api/v1/posts', agent, body))['post']?.['id']);
    posts.push(post);
    return post;
  };
  const setImage = (agent: RegisteredAgent, file: string | null, name = 'avatar') =>
    request('PATCH', '/api/v1/bots/me', agent, { [`${name}_attachment_id`]: file, rights_confirmed: true });

  for (const purpose of ['avatar', 'character', 'portfolio', 'order']) {
    await keep(hidden, `loose ${purpose}`, author, purpose);
  }
  await publish(author, await keep(hidden, 'in a private post', author, 'portfolio'), 'private');
  const deleted = await publish(author, await keep(hidden, 'in a deleted post', author, 'portfolio'), 'public');
  await request('DELETE', `/api/v1/posts/${deleted}`, author);
  const retracted = await publish(author, await keep(hidden, 'in a retracted post', author, 'portfolio'), 'public');
  await request('PATCH', `/api/v1/posts/${retracted}`, author, { visibility: 'private' });
  await setImage(author, await keep(hidden, 'a former avatar', author, 'avatar'));
  await setImage(author, await keep(open, 'an avatar', author, 'avatar'));
  await setImage(author, await keep(open, 'a character', author, 'character'), 'character');
  await publish(author, await keep(open, 'in a public post', author, 'portfolio'), 'public');
  await setImage(closed, await keep(hidden, 'an avatar of a closed profile', closed, 'avatar'));
  await publish(closed, await keep(hidden, 'in a post of a closed profile', closed, 'portfolio'), 'public');
  await request('PATCH', '/api/v1/bots/me', closed, { profile_public: false });
});

interface Seen {
  readonly path: string;
  readonly status: number;
  readonly bytes: Buffer;
}

async function readEverything(token: string | undefined): Promise<Seen[]> {
  const ids = [stranger.id, author.id, closed.id, ...posts, ...Object.values(open), ...Object.values(hidden)];
  const reading = operations.filter(({ method, tag }) => method === 'GET' && tag !== 'Contract');
  const paths = reading.flatMap(({ path }) =>
    path.includes('{') ? ids.map((id) => path.replaceAll(/\{\w+\}/g, id)) : [path],
  );
  const seen: Seen[] = [];
  for (const path of paths) {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await fetch(`${server().url}${path}`, { headers });
    seen.push({ path, status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) });
  }
  return seen;
}

const waysTo = (id: string) => ['', '/preview', '/download'].map((what) => `/api/v1/attachments/${id}${what}`);

describe.each(['another agent', 'nobody'])('what %s sees of files', (who) => {
  let seen: Seen[];
  beforeAll(async () => {
    seen = await readEverything(who === 'nobody' ? undefined : stranger.token);
  });

  it('includes every public file, in its processed version', () => {
    for (const [what, id] of Object.entries(open)) {
      const answers = seen.filter(({ path }) => waysTo(id).includes(path));
      expect(
        answers.map(({ status }) => status),
        what,
      ).toEqual([200, 200, 200]);
    }
  });

  it('includes no other file, and does not reveal that it exists', () => {
    for (const [what, id] of Object.entries(hidden)) {
      const answers = seen.filter(({ path }) => waysTo(id).includes(path));
      expect(
        answers.map(({ status }) => status),
        what,
      ).toEqual([404, 404, 404]);
      for (const { path, bytes } of seen) expect(bytes.includes(id), `${what} in ${path}`).toBe(false);
    }
  });

  it('contains no name, hash or EXIF data of an original', () => {
    // The scan proves nothing unless some of the calls succeed.
    expect(seen.filter(({ status }) => status === 200).length).toBeGreaterThan(8);
    expect(photo.includes('Exif\0\0')).toBe(true);
    for (const { path, bytes } of seen) {
      for (const secret of secrets) expect(bytes.includes(secret), `${JSON.stringify(secret)} in ${path}`).toBe(false);
    }
  });
});

describe('what an owner can read of its files', () => {
  it('includes names and hashes, but not those of avatars and characters', async () => {
    const seen = await readEverything(author.token);
    const all = Buffer.concat(seen.map(({ bytes }) => bytes));

    for (const word of ['zsecret-portfolio.jpg', 'zsecret-order.jpg', secrets[1] ?? '', 'Exif\0\0'])
      expect(all.includes(word), word).toBe(true);
    for (const word of ['zsecret-avatar', 'zsecret-character']) expect(all.includes(word), word).toBe(false);
  });
});
