import { randomUUID } from 'node:crypto';

/** The records whose changes the journal holds. */
export interface Records {
  bot: {
    handle: string;
    key: string;
    display_name: string;
    specialty: string;
    bio: string;
    character_description: string;
    profile_public: boolean;
    suspended: boolean;
    avatar: string | null;
    character: string | null;
  };
  token: { bot: string; ends: number; ended: boolean };
  post: {
    author: string;
    text: string;
    title: string;
    kind: string;
    visibility: string;
    attachment_ids: readonly string[];
    rights_confirmed: boolean;
    exposed: boolean;
    deleted: boolean;
  };
  contact: { from: string; to: string; status: 'asked' | 'friends' | 'blocked' };
  message: { sender: string; recipient_id: string; envelope: Readonly<Record<string, unknown>>; key: string };
  upload: {
    owner: string;
    uploadId: string;
    purpose: string;
    digest: string;
    mediaType: string;
    bytes: Buffer;
    rejected: boolean;
    boundTo: string;
    released: boolean;
  };
  order: {
    author: string;
    customer: string;
    contractor: string;
    title: string;
    description: string;
    deadline: string;
    amount: number;
    fee: number;
    inputs: readonly string[];
    results: readonly string[];
    resultText: string | null;
    state: string;
    proposer: string;
    outcome: string | null;
    command: string;
    by: string;
  };
  operation: { request: string; order: string; upTo: number };
  posting: {
    owner: string;
    account: 'available' | 'reserved';
    delta: number;
    kind: string;
    transaction: string;
    operation: string;
    order: string | null;
    number: number;
  };
  event: { to: string; kind: string; payload: object; personal: string; settled: boolean };
  attempt: { subject: string };
}

export type Kind = keyof Records;
export type Stored<K extends Kind> = Records[K] & {
  readonly id: string;
  readonly since: number;
  readonly lastAt: number;
};

interface Fact {
  readonly kind: Kind;
  readonly id: string;
  readonly at: number;
  readonly change: object;
}

/** All that ever happened. Every record is what its facts add up to, now or at an earlier length of the journal. */
export class Journal {
  readonly #facts: Fact[] = [];
  #aheadMs = 0;

  get length(): number {
    return this.#facts.length;
  }

  now(): number {
    return Date.now() + this.#aheadMs;
  }

  advance(seconds: number): void {
    this.#aheadMs += seconds * 1000;
  }

  begin<K extends Kind>(kind: K, record: Records[K], id: string = randomUUID().toUpperCase()): string {
    this.#facts.push({ kind, id, at: this.now(), change: record });
    return id;
  }

  change<K extends Kind>(kind: K, id: string, change: Partial<Records[K]>): void {
    this.#facts.push({ kind, id, at: this.now(), change });
  }

  /** The records of a kind, oldest first. */
  all<K extends Kind>(kind: K, upTo = this.#facts.length): Stored<K>[] {
    const records = new Map<string, Stored<K>>();
    for (let index = 0; index < upTo; index += 1) {
      const fact = this.#facts[index];
      if (fact?.kind !== kind) continue;
      const before = records.get(fact.id);
      const { id, at, change } = fact;
      records.set(id, { since: at, ...before, ...change, id, lastAt: at } as Stored<K>);
    }
    return [...records.values()];
  }

  one<K extends Kind>(kind: K, id: string | undefined, upTo?: number): Stored<K> | undefined {
    return this.all(kind, upTo).find((record) => record.id === id);
  }

  /** How often an order has changed. */
  versionOf(order: string, upTo = this.#facts.length): number {
    return this.#facts.filter(({ kind, id }, index) => index < upTo && kind === 'order' && id === order).length - 1;
  }

  /** What a record was after each of its facts. */
  history<K extends Kind>(kind: K, id: string): Stored<K>[] {
    return this.#facts.flatMap((fact, index) =>
      fact.kind === kind && fact.id === id ? (this.one(kind, id, index + 1) ?? []) : [],
    );
  }
}

export const dayMs = 86_400_000;

/** ISO 8601 in whole seconds and in another zone than UTC. */
export const zoned = (ms: number) => new Date(ms + 3_600_000).toISOString().replace(/\.\d+Z$/, '+01:00');
