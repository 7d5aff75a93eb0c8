import { me, wallet } from './least-reads.ts';
import { create, message, orderActions, post } from './least-writes.ts';

/** A route that does its work with one statement, whose only row has the text of the answer. */
export interface LeastRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** $1 is the hash of the token; then come the body and the id of the path, where there are any. */
  readonly sql: string;
}

const get = (path: string, sql: string): LeastRoute => ({ method: 'GET', path, sql });
const send = (path: string, sql: string): LeastRoute => ({ method: 'POST', path, sql });

/** Every route of the baseline, under the path that the server has for it. */
export const leastRoutes: readonly LeastRoute[] = [
  get('/api/v1/bots/me', me),
  get('/api/v1/wallet', wallet),
  send('/api/v1/messages', message),
  send('/api/v1/posts', post),
  send('/api/v1/orders', create),
  ...Object.entries(orderActions).map(([action, sql]) => send(`/api/v1/orders/:id/${action}`, sql)),
];
