import * as api from '@agent-platform/contract';
import { systemRandomBytes } from '../crypto/random.ts';
import { FakeRefusal } from './refusal.ts';

export interface FakeAgent {
  readonly id: string;
  readonly handle: string;
  display_name: string;
  specialty: string;
  bio: string;
  character_description: string;
  profile_public: boolean;
  encryption_public_key: string;
  avatarId: string | null;
  characterId: string | null;
  isSuspended: boolean;
  availableMinor: number;
  reservedMinor: number;
  readonly created_at: string;
  updated_at: string;
}

interface FakeToken {
  readonly agentId: string;
  readonly expiresMs: number;
}

export interface FakeContact {
  readonly id: string;
  readonly requesterId: string;
  readonly recipientId: string;
  state: 'requested' | 'friends' | 'blocked';
  readonly created_at: string;
  updated_at: string;
}

export interface FakePost {
  readonly id: string;
  readonly authorId: string;
  kind: api.Post['kind'];
  title: string;
  text: string;
  visibility: api.Post['visibility'];
  rights_confirmed: boolean;
  wasPublic: boolean;
  readonly fileIds: readonly string[];
  readonly created_at: string;
  updated_at: string;
}

/** The profile, post or order to which a file is permanently bound. */
interface Binding {
  readonly kind: 'profile' | 'post' | 'order';
  readonly id: string;
}

/** A file has no bytes if its content was refused. */
export interface FakeFile {
  readonly id: string;
  readonly ownerId: string;
  readonly uploadId: string;
  readonly purpose: api.AttachmentPurpose;
  readonly bytes: Uint8Array | null;
  readonly sha256: string;
  readonly filename: string;
  readonly media_type: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly page_count: number | null;
  readonly created_at: string;
  boundTo: Binding | null;
  isDetached: boolean;
}

/** Files are stored separately, because responses contain their current state. */
export interface FakeOrder {
  record: Omit<api.Order, 'input_attachments' | 'result_attachments'>;
  readonly inputIds: readonly string[];
  resultIds: readonly string[];
  readonly history: api.OrderHistoryEntry[];
}

interface FakeEntry extends api.LedgerEntry {
  readonly number: number;
  readonly agentId: string;
}

interface FakeOperation {
  readonly fingerprint: string;
  readonly orderId: string;
  readonly answer: FakeOrder['record'];
  readonly inputIds: readonly string[];
  readonly resultIds: readonly string[];
}

const dayMs = 86_400_000;

export class FakeDatabase {
  readonly agents = new Map<string, FakeAgent>();
  readonly tokens = new Map<string, FakeToken>();
  /** All lists are in the order of creation. */
  readonly contacts: FakeContact[] = [];
  readonly posts: FakePost[] = [];
  readonly messages: api.Message[] = [];
  readonly files = new Map<string, FakeFile>();
  readonly orders: FakeOrder[] = [];
  readonly entries: FakeEntry[] = [];
  /** Each key consists of an agent id and an operation id. */
  readonly operations = new Map<string, FakeOperation>();
  readonly now: () => number;
  #lastIdMs = 0;
  #idsInMs = 0;

  constructor(now: () => number) {
    this.now = now;
  }

  timestamp(): string {
    return new Date(this.now()).toISOString();
  }

  /** Returns a UUID version 7 that is greater than all earlier ones (§1.23). */
  newId(): string {
    const nowMs = Math.floor(this.now());
    if (nowMs > this.#lastIdMs) [this.#lastIdMs, this.#idsInMs] = [nowMs, 0];
    else this.#idsInMs += 1;
    // 12 bits number the ids within a millisecond; if they overflow, the next millisecond is used early.
    if (this.#idsInMs > 0xfff) [this.#lastIdMs, this.#idsInMs] = [this.#lastIdMs + 1, 0];
    const time = this.#lastIdMs.toString(16).padStart(12, '0');
    const count = this.#idsInMs.toString(16).padStart(3, '0');
    const random = api.encodeHex(systemRandomBytes(8));
    return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-8${random.slice(1, 4)}-${random.slice(4)}`;
  }

  issueToken(agentId: string): api.TokenGrant {
    const token = `apt_${api.encodeBase64(systemRandomBytes(32)).replace('=', '').replaceAll('+', '-').replaceAll('/', '_')}`;
    const expiresMs = this.now() + api.limits.tokenLifetimeDays * dayMs;
    this.tokens.set(token, { agentId, expiresMs });
    return { token, token_expires_at: new Date(expiresMs).toISOString() };
  }

  authenticate(token: string): FakeAgent {
    const known = this.tokens.get(token);
    const agent = known === undefined ? undefined : this.agents.get(known.agentId);
    if (known === undefined || agent === undefined || known.expiresMs <= this.now()) {
      throw new FakeRefusal('unauthorized', 'The token is unknown, expired or revoked.');
    }
    if (agent.isSuspended) throw new FakeRefusal('forbidden', 'This agent is suspended.');
    return agent;
  }

  findByHandle(handle: string): FakeAgent | undefined {
    return [...this.agents.values()].find((agent) => agent.handle === handle);
  }

  contactBetween(oneId: string, otherId: string): FakeContact | undefined {
    return this.contacts.find(
      ({ requesterId, recipientId }) =>
        (requesterId === oneId && recipientId === otherId) || (requesterId === otherId && recipientId === oneId),
    );
  }

  areFriends(oneId: string, otherId: string): boolean {
    return this.contactBetween(oneId, otherId)?.state === 'friends';
  }

  agent(id: string): FakeAgent {
    const agent = this.agents.get(id);
    if (agent === undefined) throw new Error(`There is no agent ${id}.`);
    return agent;
  }
}

export function hasReadableProfile({ profile_public, isSuspended }: FakeAgent): boolean {
  return profile_public && !isSuspended;
}

/** Pages follow §1.30. */
export function paginate<T>(
  items: readonly T[],
  query: { readonly page: number; readonly page_size: number },
  pageMax: number,
) {
  const { page, page_size } = query;
  const end = page * page_size;
  const next_page = items.length > end && page < pageMax ? page + 1 : null;
  return { items: items.slice(end - page_size, end), page, page_size, next_page };
}
