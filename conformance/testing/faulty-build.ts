import type { AddressInfo } from 'node:net';
import { type App, type Clock, makeApp, readSettings, type Store, systemClock } from '@agent-platform/server';
import { sql } from 'kysely';
import { parseTableRows } from './fault-language.ts';
import { quietLogger, type ReferenceServer } from './reference-server.ts';

/** How to make the reference server faulty without a change to its code: parts to wrap or replace. */
export interface FaultyBuild {
  /** Settings in addition to those of the correct server. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly clock?: (clock: Clock) => Clock;
  /** The tick interval of the event stream in milliseconds; the default is a second. */
  readonly eventTickMs?: number;
  readonly store?: (store: Store) => Store;
  /** SQL statements that break the database before the build starts, and others that repair it when the build ends. */
  readonly database?: { readonly breaking: readonly string[]; readonly repair: readonly string[] };
  /** Adds hooks around the routes; `store` is the one without the fault. */
  readonly hooks?: (http: App['http'], store: Store) => void;
}

export interface BuildMutant {
  readonly name: string;
  readonly kills: readonly string[];
  readonly build: () => FaultyBuild;
}

/**
 * Parses a table of faulty builds, one per line: `name | checks | SETTING=value`; `name | checks | before insert on
 * table | statements` for a trigger; or `name | checks | = build`.
 */
export function parseBuildTable(
  area: string,
  table: string,
  builds: Readonly<Record<string, FaultyBuild | (() => FaultyBuild)>> = {},
): readonly BuildMutant[] {
  return parseTableRows(area, table).map(({ name, kills, rest }) => {
    const [, when, on, body] = /^(\w+ \w+) on (\w+) \| (.*)$/.exec(rest) ?? [];
    if (when !== undefined) return { name, kills, build: () => withTrigger(`${on}`, when, `${body}`) };
    const [, setting, value = ''] = /^([A-Z_]+)=(.*)$/.exec(rest) ?? [];
    if (setting !== undefined) return { name, kills, build: () => ({ settings: { [setting]: value } }) };
    const build = builds[rest.slice(2)];
    if (build === undefined) throw new Error(`There is no build for "${rest}".`);
    return { name, kills, build: typeof build === 'function' ? build : () => build };
  });
}

export interface RunningFaultyServer {
  readonly url: string;
  readonly wsUrl: string;
  close(): Promise<void>;
}

/** Starts a faulty build with the database of a correct server. Returns that server if only its database is faulty. */
export async function startFaultyBuild(clean: ReferenceServer, build: FaultyBuild): Promise<RunningFaultyServer> {
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

async function startApp(clean: ReferenceServer, build: FaultyBuild): Promise<RunningFaultyServer> {
  const { settings = {}, clock = same, store = same, hooks, eventTickMs } = build;
  const app = makeApp({
    settings: readSettings({ ...clean.environment, ...settings }),
    store: store(clean.store),
    clock: clock(clean.clock),
    leaseClock: systemClock,
    removalTime: clock(clean.clock),
    log: quietLogger,
    publicUrl: clean.url,
    ...(eventTickMs === undefined ? {} : { eventTickMs }),
  });
  // The `date` must be that of the correct server, whose clock may have moved: a later run reads the time from it.
  app.http.addHook('onSend', async (_request, reply) => {
    reply.header('date', clean.clock().toUTCString());
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

/** Makes a build whose database has a trigger that executes additional statements for each written row of a table. */
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

export function withFaultyStore<const Name extends 'transact' | 'run' | 'ask'>(
  name: Name,
  otherwise: (store: Store) => Store[Name],
): FaultyBuild {
  return {
    store: (store) => {
      const replaced = otherwise(store);
      return new Proxy(store, {
        get: (target, key) => {
          if (key === name) return replaced;
          const member: unknown = Reflect.get(target, key);
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
    },
  };
}

/** Runs a statement directly on the database of a server; returns the rows as the driver does. */
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
