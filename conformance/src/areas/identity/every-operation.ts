import type { Check, Run } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { operationPaths } from '../../context/http/operations.ts';
import type { JsonObject } from '../../context/json.ts';
import { filesPath, mePath, registerPath } from '../../context/paths.ts';
import type { ApiRequest } from '../../context/send.ts';
import { makePhoto } from '../../payloads/jpeg.ts';
import { makeUploadForm } from '../files/uploading.ts';
import { sampleCases } from '../malformed.ts';
import { makeSimilarTokens } from './access.ts';
import { tokenRevocation, tokenRotation } from './tokens.ts';

/**
 * A request for every operation that requires a token or refuses an invalid one. Random ids suffice, because a server
 * checks the token before it looks up an id.
 */
function guardedRequests(run: Run): readonly ApiRequest[] {
  return operationPaths
    .filter(({ path }) => path !== registerPath)
    .map((operation) => {
      const path = operation.path.replace('*', run.random.uuid());
      if (operation.method === 'GET') return { path };
      const method = operation.method as 'POST' | 'PATCH' | 'DELETE';
      if (path === filesPath) return { method, path, form: makeUploadForm(run, makePhoto(run.random)) };
      if (method === 'DELETE') return { method, path };
      // A PATCH changes something, because a server may refuse an empty change before it checks the token.
      return { method, path, json: method === 'PATCH' ? changeOf(path) : {} };
    });
}

function changeOf(path: string): JsonObject {
  return path === mePath ? { bio: 'Whose?' } : { visibility: 'private' };
}

export const everyOperationChecks: readonly Check[] = [
  {
    id: 'access.every-operation',
    covers: ['AP-AUTH-001', 'AP-AUTH-002', 'AP-TOKEN-005', 'AP-TOKEN-008'],
    rule: 'Every operation is 401 without a token, with a wrong one, and with one that was rotated or revoked.',
    cost: { writes: 32, uploads: 4, contactRequests: 4, messages: 4 },
    costWithoutPace: { writes: 100, uploads: 4, contactRequests: 4, messages: 4 },
    fixtures: [tokenRotation, tokenRevocation],
    async judge(run) {
      const ended = (await tokenRotation(run)).before;
      const revoked = (await tokenRevocation(run)).agent;
      const [wrong = ''] = makeSimilarTokens(ended.token);
      for (const [requirement, token] of [
        ['AP-AUTH-001', undefined],
        ['AP-AUTH-002', wrong],
        ['AP-TOKEN-005', ended.token],
        ['AP-TOKEN-008', revoked.token],
      ] as const) {
        // Requests without a token exclude downloads, because public files require no token.
        const all = guardedRequests(run).filter(
          ({ method, path }) => token !== undefined || method !== undefined || !path.startsWith(filesPath),
        );
        const client = token === undefined ? run.anonymous : run.clientWith(token);
        const { made, cases } = sampleCases(run, all, 8);
        await run.requirement(
          requirement,
          async () => {
            for (const request of made) expect.unauthorized(await client.send(request));
          },
          { cases },
        );
      }
    },
  },
];
