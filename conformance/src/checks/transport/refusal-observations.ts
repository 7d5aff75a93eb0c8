import type { Observation } from '../../context/check.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { botsPath, mePath } from '../../context/paths.ts';
import type { Run } from '../../context/run.ts';
import { answerTo, compareAnswer, observation, withCommon } from '../observation.ts';

/** Refusals whose status or code the specification leaves open. */
export const refusalObservations: readonly Observation[] = [
  answerTo('unknown-path', 'AP-ERR-010', 'How is an unknown path answered? (D-44)', '404 not_found', (run) =>
    read(run, '/api/v1/no'),
  ),
  answerTo('malformed-id', 'AP-ERR-011', 'How is a malformed id in a path answered? (D-22)', '400 invalid_id', (run) =>
    read(run, `${botsPath}/no-uuid`),
  ),
  answerTo('query', 'AP-TRANSPORT-014', 'How is an unknown parameter answered? (D-21)', '400 invalid_input', (run) =>
    read(run, `${botsPath}?unheard=of`),
  ),
  answerTo('slash', 'AP-TRANSPORT-007', 'How is a trailing slash handled? (D-44)', '404 not_found', (run) =>
    read(run, `${mePath}/`),
  ),
  ...withCommon({ cost: { writes: 1 } }, [
    answerTo('broken-json', 'AP-ERR-012', 'Which code has invalid JSON? (D-22)', '400 invalid_input', (run) =>
      change(run, '{'),
    ),
    answerTo('blank-name', 'AP-ME-016', 'Is a name of spaces empty? (D-21)', '400 invalid_input', (run) =>
      change(run, '{"display_name": "   "}'),
    ),
    answerTo('null-character', 'AP-ME-017', 'Is U+0000 accepted in a text? (D-21)', '400 invalid_input', (run) =>
      change(run, String.raw`{"bio": "a\u0000b"}`),
    ),
    answerTo(
      'json-look-alike',
      'AP-TRANSPORT-013',
      'Which media types close to JSON are accepted? (D-43)',
      '415 unsupported_media_type',
      (run) => change(run, '{}', 'application/jsonp'),
    ),
    observation('method', 'AP-ERR-009', 'How is an unsupported method handled? (D-44)', async (run) => {
      const answer = await (await run.primaryAgent()).send({ method: 'PUT', path: mePath });
      const { observed, matchesDecision } = compareAnswer(answer, '405 method_not_allowed');
      const { allow } = answer.headers;
      return { observed: `${observed}, Allow: ${allow}`, matchesDecision: matchesDecision && allow !== undefined };
    }),
  ]),
];

async function read(run: Run, path: string): Promise<Exchange> {
  return await (await run.primaryAgent()).get(path);
}

async function change(run: Run, body: string, type = 'application/json'): Promise<Exchange> {
  const agent = await run.primaryAgent();
  return await agent.send({ method: 'PATCH', path: mePath, body, headers: { 'content-type': type } });
}
