import type { Endpoint } from './endpoint.ts';
import { readLiveness, readOpenApi, readReadiness } from './health.ts';
import { changeOwnBot, readOwnBot, registerBot, revokeToken, rotateToken } from './identity.ts';

/** Every operation of the API, in the order of the documents. */
export const operations: readonly Endpoint[] = [
  registerBot,
  readOwnBot,
  changeOwnBot,
  rotateToken,
  revokeToken,
  readLiveness,
  readReadiness,
  readOpenApi,
];
