import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { openLiveWorld } from '../../world/live-world.ts';
import type { RunWorld } from '../../world/world.ts';
import type { SentPerSecond } from '../budget/budget.ts';
import { CannotRun, rethrowAsCannotRun } from '../cannot-run.ts';
import { isObject, type JsonObject, parseJson } from '../json.ts';
import { noUsage, type PoolUsage } from './agent-usage.ts';

/** An agent that the suite registered, with the token and keys that its requests need. */
export interface PoolAgent {
  readonly id: string;
  readonly handle: string;
  readonly encryption_public_key: string;
  readonly encryption_private_key: string;
  readonly token: string;
}

/** A registration that a run sent and later runs need not repeat. Contains no tokens. */
export interface RecordedRegistration {
  readonly at: string;
  readonly body: JsonObject;
  readonly status: number;
  readonly content_type: string;
  readonly text: string;
}

/** The agents that runs share: the primary agent, its partner, and one whose limits `--profile limits` exhausts. */
export type PoolRole = keyof typeof memberOf;

/** The path of the pool file, and where the file contains each token. */
export interface TokenLocation {
  readonly file: string;
  /** The handle of each agent and the name of its member in the file. */
  readonly agents: readonly { readonly handle: string; readonly member: string }[];
}

/** The agents and other data that a run stores for later runs against the same server. */
export type Pool = ReturnType<typeof openPool>;

interface PoolFile {
  readonly version: 1;
  readonly base_url: string;
  agent: PoolAgent | undefined;
  partner: PoolAgent | undefined;
  limited: PoolAgent | undefined;
  usage: PoolUsage;
  lost_agents: PoolAgent[];
  recordings: Record<string, RecordedRegistration>;
  attempts: string[];
  recent: SentPerSecond;
}

const hourMs = 3_600_000;

/** Without a file, the pool exists only during the run. */
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
  // The file is written now, so that a failure to write it is an error before the first registration.
  const isNew = file !== undefined && !existsSync(file);
  update();
  if (isNew) hideFromGit(file);
  return {
    agents,
    /** The pool as JSON text, which differs after each run; empty for a new pool. */
    content: (): string => (pool.attempts.length === 0 ? '' : JSON.stringify(pool)),
    /** The times of registration attempts in the last hour. */
    attempts,
    /** Where the file contains the tokens of the shared agents; undefined without a file. */
    tokensIn: (): TokenLocation | undefined => {
      if (file === undefined) return undefined;
      const staying = Object.values(memberOf).map((member) => ({ handle: pool[member]?.handle ?? '', member }));
      return { file: resolve(file), agents: staying };
    },
    agent: (role: PoolRole = 'primary'): PoolAgent | undefined => pool[memberOf[role]],
    /** Stores an agent with its current token. Must be called before the token is used. */
    keep: (agent: PoolAgent, role: PoolRole = 'primary'): void =>
      update(() => Object.assign(pool, { [memberOf[role]]: agent })),
    /** Discards all agents and their registrations, because the server no longer recognizes the primary agent. */
    discard: (): void => {
      const lost_agents = [...pool.lost_agents, ...agents()];
      const { attempts, recent } = pool;
      update(() => Object.assign(pool, { ...emptyPool(baseUrl), lost_agents, attempts, recent }));
    },
    discardOther: (role: Exclude<PoolRole, 'primary'>): void =>
      update(() => {
        pool.lost_agents.push(...[pool[role]].filter((agent) => agent !== undefined));
        pool[role] = undefined;
      }),
    usage: (): PoolUsage => pool.usage,
    noteUsage: (usage: PoolUsage): void => update(() => Object.assign(pool, { usage })),
    recording: (name: string): RecordedRegistration | undefined => pool.recordings[name],
    record: (name: string, recording: RecordedRegistration): void =>
      update(() => Object.assign(pool.recordings, { [name]: recording })),
    forget: (name: string): void =>
      update(() => {
        delete pool.recordings[name];
      }),
    forgetAttempts: (): void => update(() => Object.assign(pool, { attempts: [] })),
    noteAttempt: (): void => update(() => Object.assign(pool, { attempts: [...attempts(), now().toISOString()] })),
    /** The requests sent in the last minute of the last run. */
    recent: (): SentPerSecond => pool.recent,
    noteRecent: (recent: SentPerSecond): void => update(() => Object.assign(pool, { recent })),
  };
}

const memberOf = { primary: 'agent', partner: 'partner', limited: 'limited' } as const;

export const poolRoles = Object.keys(memberOf) as readonly PoolRole[];

function emptyPool(baseUrl: string): PoolFile {
  return {
    version: 1,
    base_url: baseUrl,
    agent: undefined,
    partner: undefined,
    limited: undefined,
    usage: noUsage,
    lost_agents: [],
    recordings: {},
    attempts: [],
    recent: {},
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
  // The cast is safe: only this suite writes the file, and the version identifies its format.
  return { ...emptyPool(baseUrl), ...(read as Partial<PoolFile>) };
}

/** Excludes a new pool file from Git, because it contains private keys. */
function hideFromGit(file: string): void {
  const ignored = join(dirname(file), '.gitignore');
  // The final `*` also excludes the temporary file that replaces the pool file.
  const line = `/${basename(file).replaceAll(/[\\*?[]/g, String.raw`\$&`)}*`;
  const lines = existsSync(ignored) ? readFileSync(ignored, 'utf8') : '';
  if (lines.split(/\r?\n/).includes(line)) return;
  writeFileSync(ignored, `${/[^\n]$/.test(lines) ? '\n' : ''}${line}\n`, { flag: 'a' });
}

// The file is replaced atomically, because a rotated token is not stored anywhere else.
function writePrivately(file: string, text: string): void {
  const next = `${file}.next`;
  rethrowAsCannotRun(`${file} cannot be written: `, () => {
    writeFileSync(next, text, { mode: 0o600, flush: true });
    renameSync(next, file);
  });
}
