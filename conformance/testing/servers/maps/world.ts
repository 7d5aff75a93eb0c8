import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';

/** The rate limits of the server: registrations per hour, all others per minute. */
export interface ServerLimits {
  readonly writes: number;
  readonly contacts: number;
  readonly messages: number;
  readonly registrations: number;
}

export interface Bot {
  readonly id: string;
  readonly handle: string;
  readonly key: string;
  readonly since: number;
  changed: number;
  name: string;
  specialty: string;
  bio: string;
  character: string;
  open: boolean;
  images: { avatar: string | null; character: string | null };
}

export interface Post {
  readonly id: string;
  readonly author: string;
  readonly files: readonly string[];
  readonly since: number;
  text: string;
  title: string;
  kind: string;
  visibility: string;
  rights: boolean;
  exposed: boolean;
  deleted: boolean;
}

export interface Contact {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly since: number;
  state: 'asked' | 'friends' | 'blocked';
}

export interface Message {
  readonly id: string;
  readonly sender: string;
  readonly recipient: string;
  readonly envelope: Readonly<Record<string, string>>;
  readonly since: number;
}

export interface Upload {
  readonly id: string;
  readonly owner: string;
  readonly uploadId: string;
  readonly purpose: string;
  readonly digest: string;
  readonly name: string;
  readonly mediaType: string;
  readonly original: Buffer;
  readonly since: number;
  /** The record that the file is or was bound to. */
  use?: { kind: 'profile' | 'post' | 'order'; id: string };
  /** The time of detachment, in milliseconds since 1970. */
  released?: number;
}

export interface StoredOrder {
  readonly id: string;
  readonly author: string;
  readonly customer: string;
  readonly contractor: string;
  readonly title: string;
  readonly description: string;
  readonly deadline: string;
  readonly amount: number;
  readonly fee: number;
  readonly inputs: readonly string[];
  readonly since: number;
  state: string;
  version: number;
  results: readonly string[];
  resultText?: string;
  refundBy?: string;
  outcome?: string;
}

interface HistoryEntry {
  readonly what: string;
  readonly who: string;
  readonly became: string;
  readonly revision: number;
  readonly at: string;
}

export interface Posting {
  readonly id: number;
  readonly owner: string;
  readonly account: 'spendable' | 'held';
  readonly change: number;
  readonly kind: string;
  readonly transaction: string;
  readonly operation: string;
  readonly order: string | null;
  readonly at: number;
}

export interface QueuedEvent {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  /** The two agents between whom the event occurred, if any; a block between them deletes it. */
  readonly between?: readonly [string, string];
}

export interface OpenConnection {
  readonly socket: WebSocket;
  readonly token: string;
  readonly sent: Set<string>;
}

export class ServerState {
  readonly numbers: ServerLimits;
  readonly bots = new Map<string, Bot>();
  readonly suspended = new Set<string>();
  readonly tokens = new Map<string, { bot: string; ends: number }>();
  readonly posts = new Map<string, Post>();
  readonly contacts = new Map<string, Contact>();
  readonly messages = new Map<string, Message>();
  readonly uploads = new Map<string, Upload>();
  readonly spentUploads = new Set<string>();
  readonly orders = new Map<string, StoredOrder>();
  readonly histories = new Map<string, HistoryEntry[]>();
  readonly operations = new Map<string, { request: string; answer: StoredOrder }>();
  readonly postings: Posting[] = [];
  readonly notices = new Map<string, Map<string, QueuedEvent>>();
  readonly connections = new Map<string, Set<OpenConnection>>();
  readonly moments = new Map<string, number[]>();
  aheadMs = 0;

  constructor(numbers: ServerLimits) {
    this.numbers = numbers;
  }
}

const dayMs = 86_400_000;
export const daysToMs = (count: number) => count * dayMs;
export const currentTimeOf = (world: ServerState) => Date.now() + world.aheadMs;
/** Formats a time as an ISO 8601 timestamp with microseconds and a numeric time zone. */
export const formatTimestamp = (ms: number) => new Date(ms).toISOString().replace('Z', '417+00:00');
export const digestOf = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

export function issueToken(world: ServerState, bot: string): { token: string; ends: number } {
  const token = `maps.${randomBytes(24).toString('hex')}`;
  const ends = currentTimeOf(world) + daysToMs(30);
  world.tokens.set(token, { bot, ends });
  return { token, ends };
}

export function contactOf(world: ServerState, one: string, other: string): Contact | undefined {
  return world.contacts
    .values()
    .find(({ from, to }) => (from === one && to === other) || (from === other && to === one));
}

export function contactStatusFor(viewer: string, contact: Contact | undefined): string {
  if (contact === undefined) return 'none';
  if (contact.state !== 'asked') return contact.state;
  return contact.from === viewer ? 'outgoing' : 'incoming';
}

/** Adds an event to an agent's queue and sends it on the agent's connections. */
export function queueEvent(
  world: ServerState,
  bot: string,
  kind: string,
  payload: unknown,
  between?: [string, string],
): void {
  const notice: QueuedEvent = { id: randomUUID(), kind, payload, ...(between && { between }) };
  const waiting = world.notices.get(bot) ?? new Map<string, QueuedEvent>();
  world.notices.set(bot, waiting.set(notice.id, notice));
  for (const connection of world.connections.get(bot) ?? []) sendEvent(world, connection, notice);
}

export function sendEvent(world: ServerState, connection: OpenConnection, { id, kind, payload }: QueuedEvent): void {
  const token = world.tokens.get(connection.token);
  if (token === undefined || token.ends <= currentTimeOf(world)) {
    connection.socket.close(4401);
    return;
  }
  connection.sent.add(id);
  connection.socket.send(JSON.stringify({ type: 'event', event_id: id, kind, payload, server: 'maps' }));
}

/** The balance of an account: the sum of its postings. */
export function sumPostings(world: ServerState, owner: string, account: Posting['account']): number {
  return world.postings.reduce(
    (sum, entry) => sum + (entry.owner === owner && entry.account === account ? entry.change : 0),
    0,
  );
}

export function addPosting(world: ServerState, entry: Omit<Posting, 'id' | 'at'>): void {
  const last = world.postings.at(-1)?.id ?? 5_000_000_000;
  world.postings.push({ ...entry, id: last + 17, at: currentTimeOf(world) });
}
