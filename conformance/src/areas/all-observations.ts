import type { Agent } from '../context/agent.ts';
import { type Observation, type ObservedBehaviour, primaryAgent, type Run } from '../context/check.ts';
import { expect, isTimestamp } from '../context/expectations.ts';
import type { Exchange } from '../context/http/http-client.ts';
import { isObject, listStrings } from '../context/json.ts';
import { botsPath, mePath } from '../context/paths.ts';
import { contactObservations } from './contacts/contact-observations.ts';
import { eventObservations } from './events/event-observations.ts';
import { fileObservations } from './files/file-observations.ts';
import { tokenRevocation, tokenRotation } from './identity/tokens.ts';
import { messageObservations } from './messages/message-observations.ts';
import {
  compareAnswer,
  compareMemberNames,
  compareRequiredMembers,
  openQuestion,
  startFromRun,
  withStart,
} from './observation.ts';
import { orderObservations } from './orders/order-observations.ts';
import { publicObservations } from './posts/public-observations.ts';
import { changeProfile, setProfilePublic } from './posts/publishing.ts';

/** Behaviour that servers may choose, compared with that of the reference server. */
export const allObservations: readonly Observation[] = [
  ...withStart(readOwnBot, {}, [
    openQuestion(
      'passport-names',
      'AP-BOT-015',
      'Which names do the key, its fingerprint and the dates have?',
      (bot) => {
        const names = ['encryption_public_key', 'encryption_key_fingerprint', 'created_at', 'updated_at'];
        const isHex = /^[0-9a-f]{64}$/.test(String(bot['encryption_key_fingerprint']));
        const { observed, matchesDecision } = compareRequiredMembers(bot, names);
        return { observed, matchesDecision: matchesDecision && isHex };
      },
    ),
    openQuestion('ids', 'AP-TRANSPORT-010', 'Which version do the UUIDs have?', (bot) => {
      const id = String(bot['id']);
      const version = id.charAt(14);
      return { observed: `version ${version}`, matchesDecision: version === '7' && id === id.toLowerCase() };
    }),
    openQuestion('timestamps', 'AP-TRANSPORT-009', 'Which zone and precision do timestamps have?', (bot) => {
      const dates = listStrings(bot).flatMap(({ text }) => (isTimestamp(text) ? [text] : []));
      const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
      return { observed: dates.join(', '), matchesDecision: dates.every((text) => form.test(text)) };
    }),
  ]),
  ...withStart(startFromRun, {}, [
    openQuestion('token-form', 'AP-TOKEN-013', 'Which format does a token have?', async (run) => {
      const { token } = await run.primaryAgent();
      // The token itself must not be in a report.
      return { observed: `${token.length} characters`, matchesDecision: /^apt_[A-Za-z0-9_-]{43}$/.test(token) };
    }),
    openQuestion(
      'token-lifetime',
      'AP-TOKEN-003',
      'How long is a token valid? The stated default is 30 days.',
      async (run) => {
        const { exchange, recordedAt } = await run.registration('minimal');
        const { token_expires_at: expires } = expect.object(exchange) as { readonly token_expires_at?: unknown };
        const since = recordedAt === undefined ? run.time.now() : Date.parse(recordedAt);
        const days = (Date.parse(String(expires)) - since) / 86_400_000;
        return { observed: `${days.toFixed(2)} days`, matchesDecision: Math.abs(days - 30) < 0.05 };
      },
    ),
  ]),
  ...withStart(tokenRotation, {}, [
    openQuestion('rotation-members', 'AP-TOKEN-014', 'Which members does a rotation return?', ({ answer }) =>
      compareMemberNames(expect.object(answer), ['token', 'token_expires_at']),
    ),
  ]),
  ...withStart(tokenRevocation, {}, [
    openQuestion('revocation-members', 'AP-TOKEN-015', 'Which members does a revocation return?', ({ answer }) => {
      const observed = JSON.stringify(answer.json);
      return { observed, matchesDecision: observed === '{"revoked":true}' };
    }),
  ]),
  ...withStart(startFromRun, {}, [
    openQuestion('health', 'AP-VERSION-006', 'Which paths report the health of the server?', async (run) => {
      const answers = [await run.anonymous.get('/health/live'), await run.anonymous.get('/health/ready')];
      const isOk = answers.every(({ status, json }) => status === 200 && isObject(json) && json['status'] === 'ok');
      const observed = answers.map(({ request, status }) => `${request.path} ${status}`).join(', ');
      return { observed, matchesDecision: isOk };
    }),
    openQuestion('openapi', 'AP-VERSION-004', 'Which paths serve the machine-readable contracts?', async (run) => {
      const { status, json } = await run.anonymous.get('/openapi.json');
      const info = isObject(json) && isObject(json['info']) ? json['info'] : undefined;
      if (!isObject(json) || info === undefined) return { observed: `/openapi.json ${status}`, matchesDecision: false };
      const [format, version] = [String(json['openapi']), String(info['version'])];
      const matchesDecision = status === 200 && /^3\.1\./.test(format) && version === '0.1.0';
      return { observed: `/openapi.json: OpenAPI ${format}, interface ${version}`, matchesDecision };
    }),
    openQuestion('request-id', 'AP-ERR-013', 'Does every answer carry a request id?', async (run) => {
      const answers = [await (await run.primaryAgent()).get(mePath), await run.anonymous.get(mePath)];
      const hasId = answers.every(({ headers }) => typeof headers['request-id'] === 'string');
      return { observed: hasId ? 'in the header request-id' : 'not in the header request-id', matchesDecision: hasId };
    }),
    openQuestion('head', 'AP-TRANSPORT-011', 'Is HEAD supported wherever GET is?', async (run) => {
      const { status, text } = await (await run.primaryAgent()).head(mePath);
      return { observed: String(status), matchesDecision: status === 200 && text === '' };
    }),
  ]),
  ...withStart(primaryAgent, { cost: { writes: 2 } }, [
    openQuestion('capital-id', 'AP-TRANSPORT-012', 'Are UUIDs in upper case accepted?', async (agent, run) => {
      await setProfilePublic(run, agent, true);
      return isAccepted(await agent.get(`${botsPath}/${agent.id.toUpperCase()}`));
    }),
    openQuestion('empty-change', 'AP-ME-015', 'How is an update without members handled?', async (agent) =>
      isAccepted(await agent.patch(mePath, {})),
    ),
    openQuestion('characters', 'AP-ME-014', 'Are lengths counted in code points?', async (agent, run) => {
      const { status } = await agent.patch(mePath, { display_name: '𝒜'.repeat(80) });
      await changeProfile(run, agent, { display_name: 'Conformance' });
      return { observed: `80 characters of 2 UTF-16 units each: ${status}`, matchesDecision: status === 200 };
    }),
  ]),
  ...withStart(primaryAgent, {}, [
    openQuestion('unknown-path', 'AP-ERR-010', 'How is an unknown path answered?', (agent) =>
      compareAnswer(agent.get('/api/v1/no'), '404 not_found'),
    ),
    openQuestion('malformed-id', 'AP-ERR-011', 'How is a malformed id in a path answered?', (agent) =>
      compareAnswer(agent.get(`${botsPath}/no-uuid`), '400 invalid_id'),
    ),
    openQuestion('query', 'AP-TRANSPORT-014', 'How is an unknown parameter answered?', (agent) =>
      compareAnswer(agent.get(`${botsPath}?unheard=of`), '400 invalid_input'),
    ),
    openQuestion('slash', 'AP-TRANSPORT-007', 'How is a trailing slash handled?', (agent) =>
      compareAnswer(agent.get(`${mePath}/`), '404 not_found'),
    ),
  ]),
  ...withStart(primaryAgent, { cost: { writes: 1 } }, [
    openQuestion('broken-json', 'AP-ERR-012', 'Which code does invalid JSON have?', (agent) =>
      compareAnswer(change(agent, '{'), '400 invalid_input'),
    ),
    openQuestion('blank-name', 'AP-ME-016', 'Is a name of spaces empty?', (agent) =>
      compareAnswer(change(agent, '{"display_name": "   "}'), '400 invalid_input'),
    ),
    openQuestion('null-character', 'AP-ME-017', 'Is U+0000 accepted in a text?', (agent) =>
      compareAnswer(change(agent, String.raw`{"bio": "a\u0000b"}`), '400 invalid_input'),
    ),
    openQuestion('json-look-alike', 'AP-TRANSPORT-013', 'Which media types similar to JSON are accepted?', (agent) =>
      compareAnswer(change(agent, '{}', 'application/jsonp'), '415 unsupported_media_type'),
    ),
    openQuestion('method', 'AP-ERR-009', 'How is an unsupported method handled?', async (agent) => {
      const answer = await agent.send({ method: 'PUT', path: mePath });
      const { observed, matchesDecision } = await compareAnswer(answer, '405 method_not_allowed');
      const { allow } = answer.headers;
      return { observed: `${observed}, Allow: ${allow}`, matchesDecision: matchesDecision && allow !== undefined };
    }),
  ]),
  ...publicObservations,
  ...fileObservations,
  ...contactObservations,
  ...messageObservations,
  ...orderObservations,
  ...eventObservations,
];

function isAccepted({ status }: Exchange): ObservedBehaviour {
  return { observed: String(status), matchesDecision: status === 200 };
}

async function readOwnBot(run: Run) {
  return expect.bot(await (await run.primaryAgent()).get(mePath));
}

function change(agent: Agent, body: string, type = 'application/json') {
  return agent.send({ method: 'PATCH', path: mePath, body, headers: { 'content-type': type } });
}
