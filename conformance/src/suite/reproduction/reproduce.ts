import type { HttpRequest } from '../../context/http/http-client.ts';
import type { HookCall, SentRequest } from '../../context/journal.ts';
import { contactsPath, registerPath } from '../../context/paths.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import { shellNameOf } from '../../context/pool/token-register.ts';
import { buildCurlCommand, quoteForShell } from '../../verdict/curl.ts';
import type { Reproduction } from '../../verdict/report.ts';
import { selectShellHelpers } from './helpers.ts';
import { ScriptBodies } from './script-bodies.ts';
import {
  credentialsOf,
  type FailureContext,
  isWriteRequest,
  parseJsonBody,
  pathAndBodyOf,
  selectHistory,
  uuidPattern,
} from './select-history.ts';
import { agentVariables, authorizationOf, findFreshValues, recordVariableOf, ScriptVariables } from './variables.ts';

export interface ReproductionInputs extends FailureContext {
  readonly name: string;
  /** The comments at the top of the script, one per line. */
  readonly remarks: readonly string[];
  /** The text that the script prints at the end: how to recognize the fault. */
  readonly ending: string;
  /** The path of the pool file with the tokens of the shared agents. */
  readonly pool: string | undefined;
  readonly baseUrl: string;
  readonly wsUrl: string | undefined;
  readonly needsInvitation: boolean;
  areFriends(one: PoolAgent, other: PoolAgent): boolean;
  /** Removes secrets. */
  clean(text: string): string;
}

/** Makes the script that repeats a request and everything that it depends on. */
export function writeReproduction(target: SentRequest, parts: ReproductionInputs): Reproduction {
  const { entries } = selectHistory(target.request, parts);
  const { agents, memberOf } = parts;
  // Whether a request uses up the token or the contacts of a pool agent, which later runs need.
  const spendsPooled = (request: HttpRequest): boolean => {
    const agent = agents.get(credentialsOf(request) ?? '');
    const isOwn = request.path.startsWith(contactsPath) || request.path.startsWith('/api/v1/tokens');
    return agent !== undefined && memberOf(agent) !== undefined && isOwn && isWriteRequest(request);
  };
  const isSpent = [target, ...entries].some((one) => one.kind === 'request' && spendsPooled(one.request));
  return new ScriptWriter(target, isSpent ? { ...parts, memberOf: () => undefined } : parts).write();
}

class ScriptWriter {
  readonly #target: SentRequest;
  readonly #parts: ReproductionInputs;
  readonly #variables = new ScriptVariables();
  readonly #bodies: ScriptBodies;
  readonly #lines: string[] = [];
  /** The variables (programs, codes) that the reader must set, with a description of each. */
  readonly #given = new Map<string, string>();

  constructor(target: SentRequest, parts: ReproductionInputs) {
    this.#target = target;
    this.#parts = parts;
    this.#bodies = new ScriptBodies(parts.name.replace(/\.sh$/, ''), this.#variables, parts.clean);
  }

  write(): Reproduction {
    const { name, clean, ending } = this.#parts;
    const { entries, earlierAgents } = selectHistory(this.#target.request, this.#parts);
    this.#enter(earlierAgents);
    for (const [place, entry] of entries.entries()) {
      if (entry.kind !== 'request') this.#callHook(entry);
      else {
        this.#prepare(entry);
        this.#lines.push(this.#curl(entry.request, []).replace(/^curl/, 'send'));
        const later = entries.slice(place + 1).flatMap((one) => (one.kind === 'request' ? [one.request] : []));
        this.#capture(entry, [...later, this.#target.request]);
      }
    }
    this.#prepare(this.#target);
    // curl fails at the time limit of a stream; `|| true` ignores this, so that the script prints its last line.
    const asked = `${this.#curl(this.#target.request, ['-sS', '-i'])} || true`;
    this.#lines.push('', '# The request that shows the fault:', asked);
    this.#lines.push(`printf '\\n\\n%s\\n' ${quoteForShell(ending)}`);
    return { name, text: clean([...this.#head(), ...this.#lines, ''].join('\n')), files: this.#bodies.files };
  }

  #head(): readonly string[] {
    const { remarks, baseUrl, wsUrl, pool = '' } = this.#parts;
    const text = this.#lines.join('\n');
    return [
      '#!/usr/bin/env bash',
      ...remarks.map((remark) => `# ${remark}`),
      'set -eu -o pipefail',
      `[ -n "\${BASE_URL:-}" ] || BASE_URL=${quoteForShell(baseUrl)}`,
      ...(text.includes('WS_URL') ? [`[ -n "\${WS_URL:-}" ] || WS_URL=${quoteForShell(wsUrl ?? '')}`] : []),
      ...(/^agent /m.test(text) ? [`[ -n "\${POOL+x}" ] || POOL=${quoteForShell(pool)}`] : []),
      ...[...this.#given].map(([name, what]) => `: "\${${name}:?${what}}"`),
      ...selectShellHelpers(text),
      '',
    ];
  }

  /** Adds lines for the agents that the script reads from the pool or registers. */
  #enter(agents: readonly PoolAgent[]): void {
    const { memberOf, needsInvitation, areFriends } = this.#parts;
    for (const agent of agents) {
      const names = agentVariables(agent);
      const member = memberOf(agent);
      if (needsInvitation && member === undefined) this.#give('INVITATION', 'an invitation code for each agent');
      this.#variables.name(agent.handle, names.handle);
      this.#variables.name(agent.encryption_public_key, names.key);
      this.#variables.name(agent.id, names.id);
      this.#lines.push(`agent ${shellNameOf(agent)} ${member ?? 'none'}`);
      // An agent has several tokens if one was rotated. Each gets a variable.
      const tokens = [...this.#parts.agents].flatMap(([token, { id }]) => (id === agent.id ? [token] : []));
      const [, ...more] = tokens.map((token) => this.#variables.name(token, names.token));
      this.#lines.push(...more.map((name) => `${name}=$${names.token}`));
    }
    for (const [at, one] of agents.entries()) {
      for (const other of agents.slice(at + 1))
        if (areFriends(one, other)) this.#lines.push(`befriend ${shellNameOf(one)} ${shellNameOf(other)}`);
    }
  }

  #callHook({ kind, botId, amount }: HookCall): void {
    const bot = `"$${this.#variables.all.get(botId) ?? 'BOT'}"`;
    const name = kind.toUpperCase();
    this.#give(name, `the command of --${kind}-command`);
    const values = { grant: `${bot} ${amount}`, suspend: bot, clock: String(amount) };
    this.#lines.push(`hook "$${name}" ${values[kind]}`);
  }

  #give(name: string, what: string): void {
    this.#given.set(name, `set ${name} to ${what}`);
  }

  /** Adds variables for the values that the suite generated for a request. */
  #prepare({ request, at }: SentRequest): void {
    const assign = (text: string, wanted: string, make: string) => {
      if (!this.#variables.has(text)) this.#lines.push(`${this.#variables.name(text, wanted)}=${make}`);
    };
    for (const fresh of findFreshValues(request, at, this.#variables)) assign(...fresh);
    if (request.path === registerPath) {
      const { invitation } = parseJsonBody(request);
      if (typeof invitation === 'string' && !invitation.startsWith('no-such-code')) {
        this.#give('INVITATION', 'an invitation code for each agent');
        this.#variables.name(invitation, 'INVITATION');
      }
    }
    for (const [id] of pathAndBodyOf(request).matchAll(uuidPattern)) assign(id, 'UUID', '$(uuid)');
  }

  /** Adds variables for the values of an answer that later requests use. */
  #capture({ request, text }: SentRequest, later: readonly HttpRequest[]): void {
    const keep = (value: string, wanted: string, literal = value, prefix = '') => {
      if (this.#variables.has(literal)) return;
      const found = memberWith(text, value);
      if (found === undefined) return;
      const name = this.#variables.name(literal, wanted);
      this.#lines.push(`${name}=${prefix}$(value ${found.name} ${found.at})`);
    };
    for (const agent of this.#parts.agents.values()) {
      if (text.includes(`"${agent.token}"`)) keep(agent.token, agentVariables(agent).token);
      if (request.path === registerPath) keep(agent.id, agentVariables(agent).id);
    }
    for (const next of later) {
      const credentials = credentialsOf(next);
      if (credentials !== undefined && text.includes(`"${credentials}"`)) keep(credentials, 'TOKEN');
      for (const [id] of pathAndBodyOf(next).matchAll(uuidPattern)) keep(id, recordVariableOf(request));
      const cursor = /[?&](before=(\d+))(?:&|$)/.exec(next.path);
      if (cursor?.[2] !== undefined) keep(cursor[2], 'CURSOR', cursor[1], 'before=');
    }
  }

  #curl(request: HttpRequest, options: readonly string[]): string {
    const variables = this.#variables;
    const tokens = [...variables.all.keys()];
    const words = {
      text: (text: string) => variables.quoted(text),
      address: (base: string, path: string) => variables.address(base, path),
      authorization: authorizationOf(request, variables, tokens),
      body: (body: string) => this.#bodies.body(body),
      part: this.#bodies.part,
    };
    return buildCurlCommand(request, words, options);
  }
}

/** Finds the member with this value in a JSON text; `at` is its position, from 1, among the members with its name. */
function memberWith(text: string, value: string): { readonly name: string; readonly at: number } | undefined {
  for (const [, name = ''] of text.matchAll(/"([\w-]+)"\s*:/g)) {
    const values = [...text.matchAll(new RegExp(`"${name}"\\s*:\\s*(?:"([^"]*)"|(-?\\d+))`, 'g'))];
    const at = values.findIndex(([, string, number]) => (string ?? number) === value);
    if (at !== -1) return { name, at: at + 1 };
  }
  return undefined;
}
