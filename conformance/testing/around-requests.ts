import { idIn, isAbout, type MutableObject, parseJsonObject } from './faults.ts';
import { type FaultyBuild, queryStore } from './faulty-build.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

export interface HandledRequest {
  readonly path: string;
  /** The caller's agent id, as an SQL value. */
  readonly callerId: string;
  /** The first id in the path, as an SQL value. */
  readonly pathId: string;
  readonly body: MutableObject;
}

/** SQL statements to run before and after a request; `after` receives the rows from `before`, and the status. */
interface Around {
  readonly before?: (request: HandledRequest) => string | undefined;
  readonly after?: (request: HandledRequest, rows: Rows, status: number) => string | undefined;
}

/** Makes a build that runs SQL statements before and after the requests that match `about`. */
export function runSqlAroundRequests(about: string, { before, after }: Around): FaultyBuild {
  return {
    hooks: (http, store) => {
      const handled = new WeakMap<object, { readonly request: HandledRequest; readonly rows: Rows }>();
      http.addHook('preHandler', async (incoming) => {
        const { method, url, body } = incoming;
        const sent = body instanceof Uint8Array ? Buffer.from(body).toString() : '';
        if (!isAbout({ method, path: url, headers: {}, body: sent }, about)) return;
        const request = {
          path: url,
          callerId: sqlId(incoming.agentId),
          pathId: sqlId(url),
          body: parseJsonObject(sent) ?? {},
        };
        const statement = before?.(request);
        handled.set(incoming, { request, rows: statement === undefined ? [] : await queryStore(store, statement) });
      });
      http.addHook('onSend', async (incoming, reply) => {
        const one = handled.get(incoming);
        const statement = one === undefined ? undefined : after?.(one.request, one.rows, reply.statusCode);
        if (statement !== undefined) await queryStore(store, statement);
      });
    },
  };
}

/** Makes a build that changes rows while it handles a request: `lend` changes them, `restore` resets them. */
export function withTemporaryRows(
  about: string,
  lend: (request: HandledRequest) => string | undefined,
  restore: string,
) {
  return runSqlAroundRequests(about, {
    before: (request) => {
      const statement = lend(request);
      return statement === undefined ? undefined : `${statement} returning id`;
    },
    after: (_, rows) => (rows.length === 0 ? undefined : `${restore} where id in ${sqlIds(rows.map(({ id }) => id))}`),
  });
}

/** Formats the first id in a text as an SQL value. */
export function sqlId(text: unknown): string {
  const id = idIn(String(text));
  return id === '' ? 'null::uuid' : `'${id}'::uuid`;
}

/** Formats the first id in each of these values as an SQL list. */
export function sqlIds(values: readonly unknown[]): string {
  return `(${['null::uuid', ...values.map(sqlId)].join()})`;
}
