import type { HttpRequest } from '../../context/http/http-client.ts';
import { apiAreaOf } from '../../context/http/operations.ts';
import type { HookCall, JournalEntry, SentRequest } from '../../context/journal.ts';
import { isObject, type JsonObject, parseJson } from '../../context/json.ts';
import { mePath, ordersPath, registerPath, requestsPath, walletPath } from '../../context/paths.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';

export interface FailureContext {
  readonly entries: readonly JournalEntry[];
  /** The index of the first journal entry of the check. */
  readonly checkStart: number;
  readonly agents: ReadonlyMap<string, PoolAgent>;
  /** Whether the failure may depend on all earlier requests of the check. */
  readonly keepsAll: boolean;
  /** The name of the pool file's member that contains the agent; undefined if there is none. */
  memberOf(agent: PoolAgent): string | undefined;
}

/** The areas of the API whose records only affect requests that name these records. */
const separate = ['bots', 'posts', 'attachments', 'messages', 'contacts'];

export const uuidPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** The Authorization header of a request without its scheme; undefined if there is none. */
export function credentialsOf({ headers }: HttpRequest): string | undefined {
  return /^(?:\S+ )?(.*)$/.exec(headers['authorization'] ?? '')?.[1] || undefined;
}

/** Matches ids and nonces: requests use them to refer to records of earlier requests. */
const references = new RegExp(`${uuidPattern.source}|(?<="nonce":")[^"]+`, 'gi');

export function pathAndBodyOf({ path, body }: HttpRequest): string {
  return `${path}\n${body}`;
}

/**
 * Selects the journal entries, oldest first, that must be repeated to reach the state before the target request, and
 * the agents in them that come from the pool or earlier runs.
 */
export function selectHistory(target: HttpRequest, known: FailureContext) {
  return new Selection(target, known).select();
}

/** Starts at the target and adds requests until the selection contains everything that its requests refer to. */
class Selection {
  readonly #target: HttpRequest;
  readonly #known: FailureContext;
  readonly #end: number;
  readonly #selected = new Set<number>();
  readonly #ids = new Set<string>();
  readonly #agents = new Map<string, PoolAgent>();
  readonly #earlier = new Map<string, PoolAgent>();

  constructor(target: HttpRequest, known: FailureContext) {
    this.#target = target;
    this.#known = known;
    const at = known.entries.findLastIndex((entry) => entry.kind === 'request' && entry.request === target);
    this.#end = at === -1 ? known.entries.length : at;
  }

  select() {
    this.#build(this.#target);
    this.#takeCheck();
    for (let before = -1; before < this.#selected.size; ) {
      before = this.#selected.size;
      this.#takeContacts();
    }
    for (const id of this.#agents.keys()) this.#takeProfile(id);
    this.#takeHooks();
    const places = [...this.#selected].toSorted((one, other) => one - other);
    const entries = places.flatMap((place) => this.#known.entries[place] ?? []);
    return { entries, earlierAgents: [...this.#earlier.values()] };
  }

  /** The target may depend on earlier writes of the check even if it does not name their records. */
  #takeCheck(): void {
    const target = this.#target;
    // A list may contain records of any area.
    const isList = !isWriteRequest(target) && (target.isUpgrade === true || target.path.match(uuidPattern) === null);
    const concerns = (area: string) =>
      isList || !separate.includes(area) || (area === 'contacts' && apiAreaOf(target) === area);
    for (const [place, sent] of this.#requests()) {
      const { request } = sent;
      if (place < this.#known.checkStart || !isWriteRequest(request) || request.path === registerPath) continue;
      if (this.#known.keepsAll || (isSuccess(sent) && concerns(apiAreaOf(request)))) this.#take(place, request);
    }
  }

  #requests(): readonly (readonly [number, SentRequest])[] {
    return [...this.#known.entries.entries()].flatMap(([place, entry]) =>
      place < this.#end && entry.kind === 'request' ? [[place, entry] as const] : [],
    );
  }

  #take(place: number, request: HttpRequest): void {
    if (this.#selected.has(place)) return;
    this.#selected.add(place);
    this.#build(request);
  }

  /** Selects the requests that created what a request refers to: tokens, agents, records and cursors. */
  #build(request: HttpRequest): void {
    const said = pathAndBodyOf(request);
    const credentials = credentialsOf(request);
    const issued = credentials === undefined ? undefined : this.#issuerOf(credentials);
    if (issued !== undefined && !this.#isPooled(this.#known.agents.get(credentials ?? ''))) this.#take(...issued);
    for (const [token, agent] of this.#known.agents) {
      if (this.#registers(request, agent)) continue;
      if (isDerivedFromToken(credentials, token) || said.includes(token)) this.#needToken(token, agent);
      else if (said.includes(agent.id) || said.includes(agent.handle) || said.includes(agent.encryption_public_key))
        this.#needAgent(agent);
    }
    for (const [name] of said.matchAll(references)) this.#needId(name);
    const cursor = /[?&]before=(\d+)(?:&|$)/.exec(request.path)?.[1];
    if (cursor !== undefined) this.#takeFirst(({ text }) => new RegExp(`:\\s*${cursor}\\b`).test(text));
  }

  #registers(request: HttpRequest, agent: PoolAgent): boolean {
    if (request.path !== registerPath) return false;
    const sent = this.#known.entries.find((entry) => entry.kind === 'request' && entry.request === request);
    return sent?.kind === 'request' && sent.text.includes(agent.id);
  }

  #issuerOf(token: string): readonly [number, HttpRequest] | undefined {
    const found = this.#requests().find(([, { text }]) => text.includes(`"${token}"`));
    return found === undefined ? undefined : [found[0], found[1].request];
  }

  #isPooled(agent: PoolAgent | undefined): boolean {
    return agent !== undefined && this.#known.memberOf(agent) !== undefined;
  }

  #needToken(token: string, agent: PoolAgent): void {
    const issuer = this.#isPooled(agent) ? undefined : this.#issuerOf(token);
    if (issuer !== undefined) this.#take(...issuer);
    this.#needAgent(agent);
  }

  #needAgent(agent: PoolAgent): void {
    if (this.#agents.has(agent.id)) return;
    this.#agents.set(agent.id, agent);
    const isRegistration = ({ request, status }: SentRequest) =>
      status === 201 && request.body.includes(`"${agent.handle}"`);
    const isRegistered = !this.#isPooled(agent) && this.#takeFirst(isRegistration);
    if (!isRegistered) this.#earlier.set(agent.id, agent);
  }

  /** Selects the request that created a record, and the later ones that changed or used it. */
  #needId(id: string): void {
    if (this.#ids.has(id) || [...this.#known.agents.values()].some((agent) => agent.id === id)) return;
    this.#ids.add(id);
    // An id that first occurs in a request was generated by the suite, so no request created it.
    const first = this.#requests().find(([, { request, text }]) => `${pathAndBodyOf(request)}${text}`.includes(id));
    if (first !== undefined && !pathAndBodyOf(first[1].request).includes(id)) this.#take(first[0], first[1].request);
    for (const [place, sent] of this.#requests()) {
      if (isWriteRequest(sent.request) && isSuccess(sent) && pathAndBodyOf(sent.request).includes(id))
        this.#take(place, sent.request);
    }
  }

  #takeFirst(is: (sent: SentRequest) => boolean): boolean {
    const found = this.#requests().find(([, sent]) => is(sent));
    if (found !== undefined) this.#take(found[0], found[1].request);
    return found !== undefined;
  }

  /** Selects contact requests between the agents, and the requests that accepted or blocked these contacts. */
  #takeContacts(): void {
    for (const [place, sent] of this.#requests()) {
      if (sent.request.path !== requestsPath || !isSuccess(sent)) continue;
      const caller = this.#known.agents.get(credentialsOf(sent.request) ?? '')?.id ?? '';
      const recipient = parseJsonBody(sent.request)['recipient_id'];
      const [one, other] = [this.#agents.get(caller), this.#agents.get(String(recipient))];
      if (one === undefined || other === undefined || (this.#isPooled(one) && this.#isPooled(other))) continue;
      this.#take(place, sent.request);
      for (const [id] of sent.text.matchAll(uuidPattern)) this.#needId(id);
    }
  }

  /**
   * Selects an agent's last change of each profile field that may appear in the answer to the target. For targets
   * outside the area `bots`, only `profile_public` matters.
   */
  #takeProfile(agentId: string): void {
    if (this.#target.path === mePath && isWriteRequest(this.#target)) return;
    const isShown = (field: string) => apiAreaOf(this.#target) === 'bots' || field === 'profile_public';
    const settled = new Set<string>();
    for (const [place, sent] of this.#requests().toReversed()) {
      const { request } = sent;
      const isOwn = this.#known.agents.get(credentialsOf(request) ?? '')?.id === agentId;
      if (!isOwn || request.method !== 'PATCH' || request.path !== mePath || !isSuccess(sent)) continue;
      const fields = Object.keys(parseJsonBody(request)).filter(isShown);
      if (fields.every((field) => settled.has(field))) continue;
      for (const field of fields) settled.add(field);
      this.#take(place, request);
    }
  }

  #takeHooks(): void {
    const requests = [...this.#selected].flatMap((place) => this.#known.entries[place] ?? []);
    const paths = [this.#target.path, ...requests.flatMap((one) => (one.kind === 'request' ? one.request.path : []))];
    const isAboutCredit = paths.some((path) => path.startsWith(ordersPath) || path.startsWith(walletPath));
    const isNeeded = ({ kind, botId }: HookCall, place: number) =>
      kind === 'clock'
        ? place >= this.#known.checkStart
        : this.#agents.has(botId) && (kind !== 'grant' || isAboutCredit);
    for (const [place, entry] of this.#known.entries.slice(0, this.#end).entries()) {
      if (entry.kind !== 'request' && isNeeded(entry, place)) this.#selected.add(place);
    }
  }
}

export function isWriteRequest({ method, isUpgrade }: HttpRequest): boolean {
  return isUpgrade !== true && method !== 'GET' && method !== 'HEAD';
}

function isSuccess({ status }: SentRequest): boolean {
  return status >= 200 && status < 300;
}

/** Empty for any body that is not a JSON object. */
export function parseJsonBody({ body }: HttpRequest): JsonObject {
  const read = parseJson(body);
  return isObject(read) ? read : {};
}

const similarMinLength = 8;

/** Whether credentials are this token or were derived from it. */
function isDerivedFromToken(credentials: string | undefined, token: string): boolean {
  if (credentials === undefined) return false;
  const decoded = Buffer.from(credentials, 'base64').toString('utf8');
  if (credentials.includes(token) || decoded === `${token}:`) return true;
  return countsAsDerived(commonPrefixLength(credentials, token), token);
}

/** Whether a text that shares this many initial characters with a token counts as derived from it. */
export function countsAsDerived(shared: number, token: string): boolean {
  return shared >= Math.max(similarMinLength, token.length / 2);
}

export function commonPrefixLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
