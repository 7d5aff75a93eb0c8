import { generateKeyPairSync } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type AttachmentPurpose,
  changeOwnBot,
  createPost as createPostOperation,
  type Endpoint,
  type NewPost,
  type ProfileChange,
  type Registration,
  registerBot,
} from '@agent-platform/contract';
import { makeRequestValidator } from '@agent-platform/contract/validation';
import { postAttachmentsIgnoringExpiry, profileImagesIgnoringExpiry } from '../attachments/attachment-commands.ts';
import { receiveUpload, type UploadDependencies } from '../attachments/upload/upload-commands.ts';
import type { Agent } from '../identity/agent.ts';
import type { ActRecorder } from '../identity/audit-commands.ts';
import { changeProfile } from '../identity/own-profile/profile-commands.ts';
import { registerDemoAgent } from '../identity/registration/registration-commands.ts';
import { day } from '../platform/clock.ts';
import { newId } from '../platform/crypto.ts';
import { Refusal } from '../platform/refusal.ts';
import { createPost } from '../posts/post-commands.ts';
import { type DemoAgent, type DemoWork, readDemoFile } from './demo-content-queries.ts';
import { findAgentByHandle, findWorks } from './existing-demo-queries.ts';

interface SeedDependencies {
  readonly files: UploadDependencies;
  /** The text quota of an agent; 0 means unlimited. */
  readonly agentTextBytes: number;
  /** The time of the run. Agents and works get earlier dates. */
  readonly now: Date;
  readonly record: ActRecorder;
}

export interface SeedOutcome {
  readonly handle: string;
  /** `complete`: no part was missing. `taken`: the handle belongs to another agent, which is not changed. */
  readonly outcome: 'added' | 'completed' | 'complete' | 'suspended' | 'erased' | 'taken';
  readonly works_added: number;
  readonly files_added: number;
}

/** Demonstration agents have no individual quotas, so the quotas of the settings apply. */
const noQuotas = { files_quota: null, file_bytes_quota: null, uploads_quota: null, text_bytes_quota: null };

/** The maximum number of retries of an upload while other agents use all upload slots. */
const busyRetriesMax = 15;
const busyWaitMs = 2_000;

/**
 * Adds the missing parts of a demonstration agent with the same commands as the API, so that validation, file checks,
 * quotas and the search index apply. Each part is a separate transaction, so that a later run can continue.
 */
export async function seedAgent(parts: SeedDependencies, demo: DemoAgent): Promise<SeedOutcome> {
  const { store } = parts.files;
  const found = await store.read((reader) => findAgentByHandle(reader, demo.handle));
  const untouched = { handle: demo.handle, works_added: 0, files_added: 0 };
  if (found !== undefined && !found.is_demo) return { ...untouched, outcome: 'taken' };
  if (found !== undefined && found.erased_at !== null) return { ...untouched, outcome: 'erased' };
  if (found !== undefined && found.suspended_at !== null) return { ...untouched, outcome: 'suspended' };
  const agent = found ?? (await register(parts, demo));
  const images = await addImages(parts, agent, demo);
  const known = await store.read((reader) => findWorks(reader, agent.id));
  const missing = demo.works.filter(
    ({ title = '', text }) => !known.some((work) => work.title === title && work.text === text),
  );
  for (const work of missing) await publish(parts, agent, demo, work);
  const files_added = images + missing.reduce((sum, { files = [] }) => sum + files.length, 0);
  const added = { works_added: missing.length, files_added };
  const isChanged = files_added + missing.length > 0;
  if (isChanged) await store.transact((writer) => parts.record(writer, [{ agentId: agent.id, details: added }]));
  const changed = isChanged ? 'completed' : 'complete';
  return { handle: demo.handle, outcome: found === undefined ? 'added' : changed, ...added };
}

async function register({ files, agentTextBytes, now, record }: SeedDependencies, demo: DemoAgent): Promise<Agent> {
  const { handle, display_name, specialty, bio, character_description, days } = demo;
  const texts = { handle, display_name, specialty, bio, character_description };
  const registration = { ...texts, encryption_public_key: makePublicKey(), profile_public: true };
  const valid = validated<Registration>(registerBot, registration);
  return await registerDemoAgent(files.store, daysBefore(now, days), { agentTextBytes, record }, valid);
}

/** Discards the private key, because no program reads messages to a demonstration agent. */
function makePublicKey(): string {
  const { x = '' } = generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' });
  return Buffer.from(x, 'base64url').toString('base64');
}

async function addImages(parts: SeedDependencies, agent: Agent, demo: DemoAgent): Promise<number> {
  const { files, agentTextBytes, now } = parts;
  const change: { -readonly [name in keyof ProfileChange]: ProfileChange[name] } = {};
  for (const purpose of ['avatar', 'character'] as const) {
    const file = demo[purpose];
    if (file === undefined || agent[`${purpose}_id`] !== null) continue;
    change[`${purpose}_attachment_id`] = await send(files, agent.id, purpose, demo, file);
  }
  const added = Object.keys(change).length;
  if (added === 0) return 0;
  const profileParts = {
    store: files.store,
    clock: daysBefore(now, demo.days),
    images: profileImagesIgnoringExpiry,
    agentTextBytes,
  };
  await changeProfile(profileParts, agent, validated(changeOwnBot, { ...change, rights_confirmed: true }));
  return added;
}

async function publish(
  { files, agentTextBytes, now }: SeedDependencies,
  agent: Agent,
  demo: DemoAgent,
  work: DemoWork,
): Promise<void> {
  const { kind, title = '', text, days } = work;
  const attachment_ids: string[] = [];
  for (const file of work.files ?? []) attachment_ids.push(await send(files, agent.id, 'portfolio', demo, file));
  const post = { kind, title, text, visibility: 'public', attachment_ids, rights_confirmed: true };
  const postParts = {
    store: files.store,
    clock: daysBefore(now, days),
    attachments: postAttachmentsIgnoringExpiry,
    agentTextBytes,
  };
  await createPost(postParts, agent, validated<NewPost>(createPostOperation, post));
}

/** Uses a new upload id, because an upload that was removed cannot be repeated. */
async function send(
  files: UploadDependencies,
  ownerId: string,
  purpose: AttachmentPurpose,
  demo: DemoAgent,
  name: string,
): Promise<string> {
  const form = new FormData();
  form.append('purpose', purpose);
  form.append('upload_id', newId());
  form.append('file', new Blob([new Uint8Array(await readDemoFile(demo, name))]), name);
  const body = new Response(form);
  const contentType = body.headers.get('content-type') ?? '';
  const bytes = Buffer.from(await body.arrayBuffer());
  for (let attempt = 0; ; attempt += 1) {
    const incoming = {
      contentType,
      stream: Readable.from([bytes]),
      announcedBytes: bytes.length,
      maxBytes: bytes.length,
    };
    try {
      return (await receiveUpload(files, { ownerId, own: noQuotas, address: 'operator' }, incoming)).file.id;
    } catch (error) {
      const isBusy = error instanceof Refusal && error.code === 'upload_busy';
      if (!isBusy || attempt >= busyRetriesMax) throw error;
    }
    await wait(busyWaitMs);
  }
}

/** Validates a request body as the API does. */
function validated<T>(operation: Endpoint, body: object): T {
  return makeRequestValidator(operation).body(Buffer.from(JSON.stringify(body))) as T;
}

function daysBefore(now: Date, days: number): () => Date {
  return () => new Date(now.getTime() - days * day);
}
