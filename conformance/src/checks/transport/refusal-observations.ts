import type { Observation } from '../../context/check.ts';
import type { ApiRequest } from '../../context/send.ts';
import { answersWith, observation } from '../observation.ts';

const path = '/api/v1/bots/me';
const patch = (json: unknown): ApiRequest => ({ method: 'PATCH', path, json });

/** Refusals whose status or code the specification leaves open. */
export const refusalObservations: readonly Observation[] = [
  refusal('unknown-path', 'AP-ERR-010', 'How is an unknown path answered? (D-44)', { path: '/api/v1/no' }, [
    404,
    'not_found',
  ]),
  refusal(
    'malformed-id',
    'AP-ERR-011',
    'How is a malformed id in a path answered? (D-22)',
    { path: '/api/v1/bots/no-uuid' },
    [400, 'invalid_id'],
  ),
  refusal('broken-json', 'AP-ERR-012', 'Which code does a body that is not JSON have? (D-22)', broken(), [
    400,
    'invalid_input',
  ]),
  observation(
    'method',
    'AP-ERR-009',
    'How is an unsupported method handled? (D-44)',
    async (run) => {
      const { token } = await run.primaryAgent();
      const { headers } = await run.send({ method: 'PUT', path, token });
      const choice = await answersWith(run, { method: 'PUT', path }, 405, 'method_not_allowed');
      return {
        observed: `${choice.observed}, Allow: ${headers.allow}`,
        matchesDecision: choice.matchesDecision && headers.allow !== undefined,
      };
    },
    { writes: 2 },
  ),
  refusal(
    'blank-name',
    'AP-ME-016',
    'Is a display name of only spaces accepted? (D-21)',
    patch({ display_name: '   ' }),
    [400, 'invalid_input'],
  ),
  refusal('null-character', 'AP-ME-017', 'Is U+0000 accepted in a text? (D-21)', patch({ bio: 'a\0b' }), [
    400,
    'invalid_input',
  ]),
  refusal('json-look-alike', 'AP-TRANSPORT-013', 'Which media types close to JSON are accepted? (D-43)', lookAlike(), [
    415,
    'unsupported_media_type',
  ]),
  refusal('query', 'AP-TRANSPORT-014', 'How is an unknown query parameter handled? (D-21)', unknownQuery(), [
    400,
    'invalid_input',
  ]),
];

function refusal(
  id: string,
  requirement: string,
  asks: string,
  question: ApiRequest,
  decided: [number, string],
): Observation {
  const cost = question.method === undefined ? {} : { writes: 1 };
  return observation(id, requirement, asks, (run) => answersWith(run, question, ...decided), cost);
}

function broken(): ApiRequest {
  return { method: 'PATCH', path, body: '{', headers: { 'content-type': 'application/json' } };
}

function lookAlike(): ApiRequest {
  return { method: 'PATCH', path, body: '{}', headers: { 'content-type': 'application/jsonp' } };
}

function unknownQuery(): ApiRequest {
  return { path: '/api/v1/bots?unheard=of' };
}
