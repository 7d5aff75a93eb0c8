import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type App, type Clock, makeApp, readSettings, type Store, systemClock } from '@agent-platform/server';
import { sql } from 'kysely';
import { quiet, type ReferenceServer } from './reference-server.ts';

/**
 * The reference server with a part of it wrapped or replaced, from outside: its
 * own code knows nothing of it.
 */
export interface FaultyBuild {
  /** Settings beside those of the clean server. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly clock?: (clock: Clock) => Clock;
  /** How long a beat of the event stream is, in place of a second. */
  readonly eventBeatMs?: number;
  readonly store?: (store: Store) => Store;
  /** Statements that break the database while it runs, and those that mend it. */
  readonly database?: { readonly breaking: readonly string[]; readonly mending: readonly string[] };
  /** Hooks between its routes and the wire; `store` is the true one. */
  readonly hooks?: (http: App['http'], store: Store) => void;
}

/** A reference server with a faulty part, and the checks that must find it out. */
export interface BuildMutant {
  readonly name: string;
  readonly kills: readonly string[];
  readonly build: () => FaultyBuild;
}

/** A faulty build by its name. */
export function buildMutant(name: string, kills: readonly string[], build: () => FaultyBuild): BuildMutant {
  return { name, kills, build };
}

/** A server that runs. */
export interface RunningBuild {
  readonly url: string;
  readonly wsUrl: string;
  close(): Promise<void>;
}

/** Builds a faulty server over the database of a clean one, which takes no longer than listening does. */
export async function startBuild(clean: ReferenceServer, build: FaultyBuild): Promise<RunningBuild> {
  const { settings = {}, clock = same, store = same, database, hooks, eventBeatMs } = build;
  await execute(clean.store, database?.breaking);
  const app = makeApp({
    settings: readSettings({ ...clean.environment, ...settings }),
    store: store(clean.store),
    clock: clock(systemClock),
    log: quiet,
    publicUrl: clean.url,
    ...(eventBeatMs === undefined ? {} : { eventTickMs: eventBeatMs }),
  });
  hooks?.(app.http, clean.store);
  await app.http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.http.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    close: async () => {
      app.beginClosing();
      app.http.server.closeAllConnections();
      await app.close();
      await execute(clean.store, database?.mending);
    },
  };
}

/** A build whose database does something else whenever a row of a table is written. */
export function withTrigger(table: string, when: string, body: string): FaultyBuild {
  return {
    database: {
      breaking: [
        `create function faulty_${table}() returns trigger language plpgsql as $$ begin ${body} end $$`,
        `create trigger faulty_${table} ${when} on ${table} for each row execute function faulty_${table}()`,
      ],
      mending: [`drop trigger faulty_${table} on ${table}`, `drop function faulty_${table}()`],
    },
  };
}

/** A store whose transactions go another way. */
export function withTransact(store: Store, transact: (store: Store) => Store['transact']): Store {
  return withMember(store, 'transact', transact(store));
}

/** A store that waits before it runs one of its statements. */
export function withPause(store: Store, statement: string, milliseconds: number): Store {
  const run: Store['run'] = async (prepared, values) => {
    if (prepared.name === statement) await sleep(milliseconds);
    return await store.run(prepared, values);
  };
  return withMember(store, 'run', run);
}

function withMember<const Name extends 'transact' | 'run'>(store: Store, name: Name, otherwise: Store[Name]): Store {
  return new Proxy(store, {
    get: (target, asked) => {
      if (asked === name) return otherwise;
      const member: unknown = Reflect.get(target, asked);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** Asks the database of a server directly; rows come as the driver gives them. */
export async function queryStore(
  store: Store,
  statement: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return await store.transact(async (writer) => {
    const { rows } = await sql.raw<Record<string, unknown>>(statement).execute(writer);
    return rows;
  });
}

async function execute(store: Store, statements: readonly string[] = []): Promise<void> {
  for (const statement of statements) await queryStore(store, statement);
}

function same<T>(part: T): T {
  return part;
}
