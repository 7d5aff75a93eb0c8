import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type App, type Clock, makeApp, readSettings, type Store, systemClock } from '@agent-platform/server';
import { sql } from 'kysely';
import { type FaultRow, faultTable } from './faults.ts';
import { quiet, type ReferenceServer } from './reference-server.ts';

/**
 * The reference server with a part of it wrapped or replaced, from outside: its
 * own code knows nothing of it.
 */
export interface FaultyBuild {
  /** Settings beside those of the clean server. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly clock?: (clock: Clock) => Clock;
  /** The interval of the event stream's ticks, in place of a second. */
  readonly eventTickMs?: number;
  readonly store?: (store: Store) => Store;
  /** Statements that break the database while the build runs, and those that repair it. */
  readonly database?: { readonly breaking: readonly string[]; readonly repair: readonly string[] };
  /** Hooks around its routes; `store` is the clean one. */
  readonly hooks?: (http: App['http'], store: Store) => void;
}

/** A reference server with a faulty part, and the checks that must detect it. */
export interface BuildMutant {
  readonly name: string;
  readonly kills: readonly string[];
  readonly build: () => FaultyBuild;
}

/** Reads a table of faulty builds, like `faultTable`. */
export function buildTable(area: string, rows: readonly FaultRow<FaultyBuild>[]): readonly BuildMutant[] {
  return faultTable(area, rows).map(({ name, kills, fault }) => ({ name, kills, build: fault }));
}

/** A server that runs. */
export interface RunningBuild {
  readonly url: string;
  readonly wsUrl: string;
  close(): Promise<void>;
}

/** Starts a faulty build over the database of a clean server; one whose database alone is faulty is that server. */
export async function startBuild(clean: ReferenceServer, build: FaultyBuild): Promise<RunningBuild> {
  const { database, ...parts } = build;
  await execute(clean.store, database?.breaking);
  const running =
    database !== undefined && Object.keys(parts).length === 0
      ? { url: clean.url, wsUrl: clean.wsUrl, close: async () => undefined }
      : await startApp(clean, parts);
  return {
    ...running,
    close: async () => {
      await running.close();
      await execute(clean.store, database?.repair);
    },
  };
}

async function startApp(clean: ReferenceServer, build: FaultyBuild): Promise<RunningBuild> {
  const { settings = {}, clock = same, store = same, hooks, eventTickMs } = build;
  const app = makeApp({
    settings: readSettings({ ...clean.environment, ...settings }),
    store: store(clean.store),
    clock: clock(systemClock),
    log: quiet,
    publicUrl: clean.url,
    ...(eventTickMs === undefined ? {} : { eventTickMs }),
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
      repair: [`drop trigger faulty_${table} on ${table}`, `drop function faulty_${table}()`],
    },
  };
}

/** Reads builds with a trigger, one a line: `name | checks | before insert on table | statements`. */
export function triggerBuilds(area: string, table: string): readonly BuildMutant[] {
  const lines = table.split('\n').filter((line) => line.trim() !== '');
  return buildTable(
    area,
    lines.map((line) => {
      const [name = '', kills = '', event = '', body = ''] = line.split(' | ');
      const [when = '', on = ''] = event.split(' on ');
      return [name.trim(), kills, withTrigger(on, when, body)];
    }),
  );
}

/** A store with other transactions. */
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
    get: (target, key) => {
      if (key === name) return otherwise;
      const member: unknown = Reflect.get(target, key);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** Queries the database of a server directly; rows are those of the driver. */
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
