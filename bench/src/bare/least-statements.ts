import { selectProfileSql, selectWalletSql } from './least-reads.ts';
import { insertMessageSql, insertOrderSql, insertPostSql, orderActionSql } from './least-writes.ts';

/** A route that executes one statement, which returns a single row with the text of the response. */
export interface BaselineRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The parameters are the hash of the token, then the body and the id in the path, if there are any. */
  readonly sql: string;
}

const get = (path: string, sql: string): BaselineRoute => ({ method: 'GET', path, sql });
const send = (path: string, sql: string): BaselineRoute => ({ method: 'POST', path, sql });

/** All routes of the baseline; they have the paths of the server's routes. */
export const baselineRoutes: readonly BaselineRoute[] = [
  get('/api/v1/bots/me', selectProfileSql),
  get('/api/v1/wallet', selectWalletSql),
  send('/api/v1/messages', insertMessageSql),
  send('/api/v1/posts', insertPostSql),
  send('/api/v1/orders', insertOrderSql),
  ...Object.entries(orderActionSql).map(([action, sql]) => send(`/api/v1/orders/:id/${action}`, sql)),
];
