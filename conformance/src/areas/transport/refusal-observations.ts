import type { Agent } from '../../context/agent.ts';
import { type Observation, primaryAgent } from '../../context/check.ts';
import { botsPath, mePath } from '../../context/paths.ts';
import { choice, compareAnswer, from } from '../observation.ts';

/** Refusals whose status or code a decision settles. */
export const refusalObservations: readonly Observation[] = [
  ...from(primaryAgent, {}, [
    choice('unknown-path', 'AP-ERR-010', 'How is an unknown path answered?', (agent) =>
      compareAnswer(agent.get('/api/v1/no'), '404 not_found'),
    ),
    choice('malformed-id', 'AP-ERR-011', 'How is a malformed id in a path answered?', (agent) =>
      compareAnswer(agent.get(`${botsPath}/no-uuid`), '400 invalid_id'),
    ),
    choice('query', 'AP-TRANSPORT-014', 'How is an unknown parameter answered?', (agent) =>
      compareAnswer(agent.get(`${botsPath}?unheard=of`), '400 invalid_input'),
    ),
    choice('slash', 'AP-TRANSPORT-007', 'How is a trailing slash handled?', (agent) =>
      compareAnswer(agent.get(`${mePath}/`), '404 not_found'),
    ),
  ]),
  ...from(primaryAgent, { cost: { writes: 1 } }, [
    choice('broken-json', 'AP-ERR-012', 'Which code has invalid JSON?', (agent) =>
      compareAnswer(change(agent, '{'), '400 invalid_input'),
    ),
    choice('blank-name', 'AP-ME-016', 'Is a name of spaces empty?', (agent) =>
      compareAnswer(change(agent, '{"display_name": "   "}'), '400 invalid_input'),
    ),
    choice('null-character', 'AP-ME-017', 'Is U+0000 accepted in a text?', (agent) =>
      compareAnswer(change(agent, String.raw`{"bio": "a\u0000b"}`), '400 invalid_input'),
    ),
    choice('json-look-alike', 'AP-TRANSPORT-013', 'Which media types close to JSON are accepted?', (agent) =>
      compareAnswer(change(agent, '{}', 'application/jsonp'), '415 unsupported_media_type'),
    ),
    choice('method', 'AP-ERR-009', 'How is an unsupported method handled?', async (agent) => {
      const answer = await agent.send({ method: 'PUT', path: mePath });
      const { observed, matchesDecision } = await compareAnswer(answer, '405 method_not_allowed');
      const { allow } = answer.headers;
      return { observed: `${observed}, Allow: ${allow}`, matchesDecision: matchesDecision && allow !== undefined };
    }),
  ]),
];

function change(agent: Agent, body: string, type = 'application/json') {
  return agent.send({ method: 'PATCH', path: mePath, body, headers: { 'content-type': type } });
}
