import { errorCodeOf, isUuid } from '../expectations.ts';
import type { Exchange } from '../http/http-client.ts';
import { isObject, listStrings } from '../json.ts';

/** A relation never returns to an earlier one. */
export type PairRelation = 'strangers' | 'requested' | 'friends' | 'blocked';

/** What the agents of a pool have used up: relations, upload records and credits. */
export interface PoolUsage {
  /** The key consists of both ids, sorted and separated by a space; absent pairs are strangers. */
  readonly relations: Readonly<Record<string, PairRelation>>;
  readonly agents: Readonly<Record<string, SingleAgentUsage>>;
}

export interface SingleAgentUsage {
  /** How many of its uploads were accepted or inspected; each counts towards the quota of upload records forever. */
  readonly uploads: number;
  /** The available credits in the last answer about the agent's wallet. */
  readonly availableMinor: number;
  readonly reservedMinor: number;
  /** The error code with which the server refused files of the agent because the quota was used up. */
  readonly filesRefused: string | null;
}

export const noUsage: PoolUsage = { relations: {}, agents: {} };

const unusedAgent: SingleAgentUsage = { uploads: 0, availableMinor: 0, reservedMinor: 0, filesRefused: null };

// The specified number of upload records per agent, including those of removed files.
const uploadRecordsMax = 1_000;

export function usageOfAgent(usage: PoolUsage, id: string): SingleAgentUsage {
  return usage.agents[id] ?? unusedAgent;
}

export function relationOf(usage: PoolUsage, one: string, other: string): PairRelation {
  return usage.relations[pairKey(one, other)] ?? 'strangers';
}

/** Describes the agents that a later run cannot use; `perRun` is the number of uploads that a run needs. */
export function describeUsedUpAgents(
  usage: PoolUsage,
  agents: readonly { readonly id: string; readonly handle: string }[],
  perRun: number,
): readonly string[] {
  return agents.flatMap(({ id, handle }) => {
    const { uploads, filesRefused } = usageOfAgent(usage, id);
    if (filesRefused !== null) return [`the agent ${handle} is used up: its uploads are refused (${filesRefused})`];
    if (uploads + perRun <= uploadRecordsMax) return [];
    return [`the agent ${handle} is used up: ${uploads} of its ${uploadRecordsMax} uploads are used; start a new pool`];
  });
}

/** Returns a function that adds the usage in an exchange to the stored usage, unless only this run uses the agent. */
export function openUsageObserver(
  read: () => PoolUsage,
  write: (usage: PoolUsage) => void,
  isOfThisRun: (agentId: string) => boolean = () => false,
) {
  const pairs = new Map<string, readonly [string, string]>();
  const relate = (one: string, other: string, relation: PairRelation) => {
    const before = relationOf(read(), one, other);
    // A relation never returns to an earlier one, so such an answer is out of date.
    const isBack = relation === 'requested' && before !== 'strangers';
    if (before !== relation && !isBack)
      write({ ...read(), relations: { ...read().relations, [pairKey(one, other)]: relation } });
  };
  const change = (id: string, part: Partial<SingleAgentUsage>) =>
    write({ ...read(), agents: { ...read().agents, [id]: { ...usageOfAgent(read(), id), ...part } } });
  return {
    observe: (exchange: Exchange, ownerId: string) => {
      const { request, status } = exchange;
      if (!isUuid(ownerId) || isOfThisRun(ownerId)) return;
      if (request.method === 'POST' && request.path === '/api/v1/attachments') {
        if (status === 201 || errorCodeOf(exchange) === 'invalid_file')
          change(ownerId, { uploads: usageOfAgent(read(), ownerId).uploads + 1 });
        if (errorCodeOf(exchange)?.startsWith('storage_'))
          change(ownerId, { filesRefused: errorCodeOf(exchange) ?? null });
      }
      if (status < 200 || status > 299) return;
      if (request.path === '/api/v1/wallet' && isObject(exchange.json) && isObject(exchange.json['wallet'])) {
        const { available_minor: available, reserved_minor: reserved } = exchange.json['wallet'];
        if (typeof available === 'number') change(ownerId, { availableMinor: available });
        if (typeof reserved === 'number') change(ownerId, { reservedMinor: reserved });
      }
      if (request.method !== 'POST' || !request.path.startsWith('/api/v1/contacts/')) return;
      const [, contactId, action] = /^\/api\/v1\/contacts\/([^/]+)\/(accept|block)$/.exec(request.path) ?? [];
      if (contactId === undefined) return noteRequest(exchange, ownerId, pairs, relate);
      const [one, other] = pairs.get(contactId.toLowerCase()) ?? [];
      if (one !== undefined && other !== undefined) relate(one, other, action === 'block' ? 'blocked' : 'friends');
    },
  };
}

function noteRequest(
  exchange: Exchange,
  senderId: string,
  pairs: Map<string, readonly [string, string]>,
  relate: (one: string, other: string, relation: PairRelation) => void,
): void {
  const sent: unknown = JSON.parse(exchange.request.body);
  const recipientId = isObject(sent) ? sent['recipient_id'] : undefined;
  if (!isUuid(recipientId)) return;
  for (const { path, text } of listStrings(exchange.json)) {
    if (/(^|\.)(contact_)?id$/.test(path) && isUuid(text)) pairs.set(text.toLowerCase(), [senderId, recipientId]);
  }
  // The status 200 answers a repeated contact request between friends and changes nothing.
  if (exchange.status === 201) relate(senderId, recipientId, 'requested');
}

function pairKey(one: string, other: string): string {
  return [one.toLowerCase(), other.toLowerCase()].toSorted().join(' ');
}
