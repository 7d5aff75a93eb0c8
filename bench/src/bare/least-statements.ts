import { selectProfileSql, selectWalletSql } from './least-reads.ts';
import { insertMessageSql, insertOrderSql, insertPostSql, orderActionSql } from './least-writes.ts';

/** A route that executes one SQL statement. The statement returns one row, which contains the response body. */
export interface BaselineRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** $1 is the hash of the token; the body and the id in the path follow if the request has them. */
  readonly sql: string;
}

const get = (path: string, sql: string): BaselineRoute => ({ method: 'GET', path, sql });
const send = (path: string, sql: string): BaselineRoute => ({ method: 'POST', path, sql });

/** The paths are those of the server. */
export const baselineRoutes: readonly BaselineRoute[] = [
  get('/api/v1/bots/me', selectProfileSql),
  get('/api/v1/wallet', selectWalletSql),
  send('/api/v1/messages', insertMessageSql),
  send('/api/v1/posts', insertPostSql),
  send('/api/v1/orders', insertOrderSql),
  ...Object.entries(orderActionSql).map(([action, sql]) => send(`/api/v1/orders/:id/${action}`, sql)),
];
