import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { makePng, makePngChunk } from '../../files/image-maker.ts';
import type { SeededRandom } from '../../order-model/random.ts';
import { type LoadAgent, makeUploadForm, sealText } from '../../rolling-restart/agents.ts';
import { RequestRefusedError } from './chaos-client.ts';
import type { JobDependencies } from './job-parts.ts';
import { runOrderCourse } from './order-jobs.ts';

type Job = (parts: JobDependencies) => Promise<void>;

const jobs: readonly (readonly [share: number, kind: string, job: Job])[] = [
  [45, 'reads', read],
  [10, 'posts', post],
  [5, 'profiles', changeProfile],
  [28, 'messages', sendMessage],
  [9, 'orders', runOrderCourse],
  [3, 'uploads', upload],
];

const shares = jobs.reduce((sum, [share]) => sum + share, 0);

export function chooseJob(random: SeededRandom): readonly [kind: string, job: Job] {
  const at = random.below(shares);
  let sum = 0;
  for (const [share, kind, job] of jobs) {
    sum += share;
    if (at < sum) return [kind, job];
  }
  return ['reads', read];
}

/** The number of bytes that pad the picture in a file. */
const fileBytes = 100_000;
/** Makes an upload take half a second, so that faults affect uploads in progress. */
const uploadPauseMs = 100;

function chooseAgent({ pair, random }: JobDependencies): LoadAgent {
  return random.pick([pair.customer, pair.contractor]);
}

/** Reads acknowledged data. */
async function read(parts: JobDependencies): Promise<void> {
  const { client, pair, random, observations } = parts;
  const agent = chooseAgent(parts);
  const get = (path: string) => client.once('reads', 'GET', path, { token: agent.token });
  const own = pair.posts.findLast(({ author, id }) => author === agent && id !== undefined);
  const order = pair.orders.at(-1);
  const choice = random.below(6);
  if (choice === 0 && own !== undefined) {
    const answer = await get(`/api/v1/posts/${own.id}`);
    if (!('cause' in answer) && answer.body['post']?.['text'] !== own.text)
      observations.problem(`post ${own.id} does not have its acknowledged text`);
  } else if (choice === 1 && order !== undefined) {
    const answer = await get(`/api/v1/orders/${order.id}`);
    if (!('cause' in answer) && Number(answer.body['order']?.['version']) < order.version)
      observations.problem(`order ${order.id} is older than its acknowledged version ${order.version}`);
  } else {
    await get(
      random.pick(['/api/v1/bots/me', '/api/v1/wallet', '/api/v1/contacts', '/api/v1/posts', '/api/v1/orders']),
    );
  }
}

/** Never repeats the request, because it has no idempotency key. */
async function post(parts: JobDependencies): Promise<void> {
  const author = chooseAgent(parts);
  const text = `Of the chaos run: ${randomUUID()}`;
  const body = JSON.stringify({ text, kind: 'update', visibility: 'public' });
  const answer = await parts.client.once('posts', 'POST', '/api/v1/posts', { token: author.token, parts: [body] });
  if ('cause' in answer) {
    if (!answer.isUnknown) throw new Error(`a post was refused: ${answer.cause}`);
    parts.pair.posts.push({ author, text, id: undefined });
  } else parts.pair.posts.push({ author, text, id: String(answer.body['post']?.['id']) });
}

async function changeProfile(parts: JobDependencies): Promise<void> {
  const agent = chooseAgent(parts);
  const bio = parts.pair.bios.get(agent);
  const text = randomUUID();
  const sent = { token: agent.token, parts: [JSON.stringify({ bio: text })] };
  const answer = await parts.client.once('profiles', 'PATCH', '/api/v1/bots/me', sent);
  if ('cause' in answer) {
    if (!answer.isUnknown) throw new Error(`a change of a profile was refused: ${answer.cause}`);
    bio?.unknown.add(text);
  } else if (bio !== undefined) bio.stored = text;
}

async function sendMessage(parts: JobDependencies): Promise<void> {
  const { client, pair } = parts;
  const from = chooseAgent(parts);
  const to = from === pair.customer ? pair.contractor : pair.customer;
  const text = `A secret of the chaos run: ${randomUUID()}`;
  const envelope = sealText(from, to, text);
  const sent = { token: from.token, parts: [JSON.stringify(envelope)] };
  const { body } = await client.untilDone('messages', 'POST', '/api/v1/messages', sent);
  const clientMessageId = envelope.client_message_id;
  pair.messages.push({ id: String(body['message']?.['id']), clientMessageId, to, text });
}

async function upload(parts: JobDependencies): Promise<void> {
  const owner = chooseAgent(parts);
  const file = makePng(10, 10, [makePngChunk('prVt', randomBytes(fileBytes))]);
  const sha256 = createHash('sha256').update(file).digest('hex');
  const id = await storeFile(parts, owner, file);
  parts.pair.files.push({ owner, id, sha256 });
}

/** Retries with a new upload id if the server has abandoned the upload. */
async function storeFile(parts: JobDependencies, owner: LoadAgent, file: Uint8Array): Promise<string> {
  const form = makeUploadForm('portfolio', randomUUID(), file);
  const sent = { token: owner.token, ...form, pauseMs: uploadPauseMs };
  try {
    const { body } = await parts.client.untilDone('uploads', 'POST', '/api/v1/attachments', sent);
    return String(body['attachment']?.['id']);
  } catch (error) {
    if (!(error instanceof RequestRefusedError) || error.code !== 'upload_unavailable') throw error;
    parts.pair.leftUploads += 1;
    return await storeFile(parts, owner, file);
  }
}
