import { idIn, isAbout, type MutableObject, parseObject } from './faults.ts';
import { type FaultyBuild, queryStore } from './faulty-build.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

/** A request to a faulty build. */
export interface HandledRequest {
  readonly path: string;
  /** The id of the calling agent, as an SQL value. */
  readonly callerId: string;
  /** The first id in the path, as an SQL value. */
  readonly pathId: string;
  readonly body: MutableObject;
}

/** SQL statements around a request; `after` receives the rows that `before` returned and the status of the answer. */
interface Around {
  readonly before?: (request: HandledRequest) => string | undefined;
  readonly after?: (request: HandledRequest, rows: Rows, status: number) => string | undefined;
}

/** Makes a faulty build that changes its database before or after it handles certain requests. */
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
          body: parseObject(sent) ?? {},
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

/** Makes a build that handles requests with temporarily changed rows: `lend` changes rows, `restore` resets them. */
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

/** Formats the ids in some rows, or in a JSON member, as an SQL list. */
export function sqlIds(values: readonly unknown[]): string {
  return `(${['null::uuid', ...values.map(sqlId)].join()})`;
}
