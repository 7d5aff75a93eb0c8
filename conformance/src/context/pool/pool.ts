import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { openLiveWorld } from '../../world/live-world.ts';
import type { RunWorld } from '../../world/world.ts';
import type { Recent } from '../budget/budget.ts';
import { CannotRun, orCannotRun } from '../cannot-run.ts';
import { isObject, type JsonObject, parseJson } from '../json.ts';
import { type AgentUsage, noUsage } from './agent-usage.ts';

/** An agent that the suite registered, with all that is needed to act as it. */
export interface PoolAgent {
  readonly id: string;
  readonly handle: string;
  readonly encryption_public_key: string;
  readonly encryption_private_key: string;
  readonly token: string;
}

/** A registration of an earlier run, so that it need not be made again; tokens are cut out of it. */
export interface Recording {
  readonly at: string;
  readonly body: JsonObject;
  readonly status: number;
  readonly content_type: string;
  readonly text: string;
}

/**
 * The agents that stay: the one that everything is done with, the one that it has to do with,
 * and the one whose limits are exhausted where a run is told to.
 */
export type PoolRole = keyof typeof memberOf;

/** Where a person finds tokens. */
export interface TokenPlace {
  readonly file: string;
  /** The handles of the agents, and their members of the file. */
  readonly agents: readonly { readonly handle: string; readonly member: string }[];
}

/** What a run leaves for the next one against the same server. */
export type Pool = ReturnType<typeof openPool>;

interface PoolFile {
  readonly version: 1;
  readonly base_url: string;
  agent: PoolAgent | undefined;
  partner: PoolAgent | undefined;
  limited: PoolAgent | undefined;
  usage: AgentUsage;
  lost_agents: PoolAgent[];
  recordings: Record<string, Recording>;
  attempts: string[];
  recent: Recent;
}

const hourMs = 3_600_000;

/** Opens the pool of a server; without a file it lasts as long as the run. */
export function openPool(file: string | undefined, baseUrl: string, world: RunWorld = openLiveWorld()) {
  const now = () => new Date(world.now());
  const stored = file !== undefined && existsSync(file) ? readPool(file, baseUrl) : emptyPool(baseUrl);
  const { lost_agents, ...used } = stored;
  const pool: PoolFile = { ...world.value('pool', null, () => used), lost_agents };
  const update = (change: () => void = () => undefined) => {
    change();
    if (file !== undefined) writePrivately(file, `${JSON.stringify(pool, undefined, 2)}\n`);
  };
  const agents = (): readonly PoolAgent[] => Object.values(memberOf).flatMap((member) => pool[member] ?? []);
  const attempts = (): readonly string[] => pool.attempts.filter((at) => now().getTime() - Date.parse(at) < hourMs);
  // A file that cannot be written must be known before the first registration.
  const isNew = file !== undefined && !existsSync(file);
  update();
  if (isNew) hideFromGit(file);
  return {
    /** All that stay. */
    agents,
    /** Its content, in which each run leaves something; empty for a new one. */
    content: (): string => (pool.attempts.length === 0 ? '' : JSON.stringify(pool)),
    /** When registrations were attempted, in the last hour. */
    attempts,
    /** The file with the tokens of the agents that stay; undefined without a file. */
    tokensIn: (): TokenPlace | undefined => {
      if (file === undefined) return undefined;
      const staying = Object.values(memberOf).map((member) => ({ handle: pool[member]?.handle ?? '', member }));
      return { file: resolve(file), agents: staying };
    },
    agent: (role: PoolRole = 'primary'): PoolAgent | undefined => pool[memberOf[role]],
    /** Keeps the agent, or the agent with another token, before anything else is done with it. */
    keep: (agent: PoolAgent, role: PoolRole = 'primary'): void =>
      update(() => Object.assign(pool, { [memberOf[role]]: agent })),
    /** Sets all of them aside, and what was judged with them, because the server does not know the first any more. */
    setAside: (): void => {
      const lost_agents = [...pool.lost_agents, ...agents()];
      const { attempts, recent } = pool;
      update(() => Object.assign(pool, { ...emptyPool(baseUrl), lost_agents, attempts, recent }));
    },
    /** Sets one of the others aside. */
    setAsideOther: (role: Exclude<PoolRole, 'primary'>): void =>
      update(() => {
        pool.lost_agents.push(...[pool[role]].filter((agent) => agent !== undefined));
        pool[role] = undefined;
      }),
    /** How far its agents are used up. */
    usage: (): AgentUsage => pool.usage,
    noteUsage: (usage: AgentUsage): void => update(() => Object.assign(pool, { usage })),
    recording: (name: string): Recording | undefined => pool.recordings[name],
    record: (name: string, recording: Recording): void =>
      update(() => Object.assign(pool.recordings, { [name]: recording })),
    forget: (name: string): void =>
      update(() => {
        delete pool.recordings[name];
      }),
    forgetAttempts: (): void => update(() => Object.assign(pool, { attempts: [] })),
    noteAttempt: (): void => update(() => Object.assign(pool, { attempts: [...attempts(), now().toISOString()] })),
    /** What was sent in the last minute of the last run. */
    recent: (): Recent => pool.recent,
    noteRecent: (recent: Recent): void => update(() => Object.assign(pool, { recent })),
  };
}

const memberOf = { primary: 'agent', partner: 'partner', limited: 'limited' } as const;

/** Every role. */
export const poolRoles = Object.keys(memberOf) as readonly PoolRole[];

function emptyPool(baseUrl: string): PoolFile {
  return {
    ...{ version: 1, base_url: baseUrl, agent: undefined, partner: undefined, limited: undefined },
    ...{ usage: noUsage, lost_agents: [], recordings: {}, attempts: [], recent: {} },
  };
}

function readPool(file: string, baseUrl: string): PoolFile {
  const read = parseJson(readFileSync(file, 'utf8'));
  if (!isObject(read) || read['version'] !== 1) throw new CannotRun(`${file} is not a pool of this suite.`);
  if (read['base_url'] !== baseUrl) {
    throw new CannotRun(
      `${file} belongs to the server at ${String(read['base_url'])}. Use another file for this server.`,
    );
  }
  // Written by this suite alone; the version says that it has this form.
  return { ...emptyPool(baseUrl), ...(read as Partial<PoolFile>) };
}

/** Keeps the keys of a new pool out of the next commit, whatever the folder belongs to. */
function hideFromGit(file: string): void {
  const ignored = join(dirname(file), '.gitignore');
  // The file that is written before it replaces the pool as well.
  const line = `/${basename(file).replaceAll(/[\\*?[]/g, String.raw`\$&`)}*`;
  const lines = existsSync(ignored) ? readFileSync(ignored, 'utf8') : '';
  if (lines.split(/\r?\n/).includes(line)) return;
  writeFileSync(ignored, `${/[^\n]$/.test(lines) ? '\n' : ''}${line}\n`, { flag: 'a' });
}

// In full or not at all: a token that was rotated exists nowhere else.
function writePrivately(file: string, text: string): void {
  const next = `${file}.next`;
  orCannotRun(`${file} cannot be written: `, () => {
    writeFileSync(next, text, { mode: 0o600, flush: true });
    renameSync(next, file);
  });
}
