import type { Observation } from '../context/check.ts';
import { expectBot, expectObject, expectStatus, isTimestamp } from '../context/expectations.ts';
import { isObject, textsOf } from '../context/json.ts';
import type { Run } from '../context/run.ts';
import { contactObservations } from './contacts/contact-observations.ts';
import { eventObservations } from './events/event-observations.ts';
import { fileObservations } from './files/file-observations.ts';
import { messageObservations } from './messages/message-observations.ts';
import { answersWith, observation } from './observation.ts';
import { orderObservations } from './orders/order-observations.ts';
import { publicObservations } from './posts/public-observations.ts';
import { refusalObservations } from './transport/refusal-observations.ts';

const path = '/api/v1/bots/me';

/** What servers may choose, and what the reference server chose (D-n). */
export const allObservations: readonly Observation[] = [
  observation(
    'passport-names',
    'AP-BOT-015',
    'Which names do the key, its fingerprint and the dates have? (D-1)',
    async (run) => {
      const bot = await readMe(run);
      const names = ['encryption_public_key', 'encryption_key_fingerprint', 'created_at', 'updated_at'];
      const isHex = /^[0-9a-f]{64}$/.test(String(bot['encryption_key_fingerprint']));
      return { observed: Object.keys(bot).join(', '), matchesDecision: names.every((name) => name in bot) && isHex };
    },
  ),
  observation('ids', 'AP-TRANSPORT-010', 'Which version do the UUIDs have? (D-16)', async (run) => {
    const { id } = await readMe(run);
    const version = String(id).charAt(14);
    return { observed: `version ${version}`, matchesDecision: version === '7' && id === String(id).toLowerCase() };
  }),
  observation('timestamps', 'AP-TRANSPORT-009', 'Which zone and precision do timestamps have? (D-16)', async (run) => {
    const dates = textsOf(await readMe(run)).filter(({ text }) => isTimestamp(text));
    const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
    return {
      observed: dates.map(({ text }) => text).join(', '),
      matchesDecision: dates.every(({ text }) => form.test(text)),
    };
  }),
  observation('token-form', 'AP-TOKEN-013', 'Which format does a token have? (D-5)', async (run) => {
    const { token } = await run.primaryAgent();
    // The token itself must not be in a report.
    return { observed: `${token.length} characters`, matchesDecision: /^apt_[A-Za-z0-9_-]{43}$/.test(token) };
  }),
  observation(
    'token-lifetime',
    'AP-TOKEN-003',
    'How long is a token valid? The stated default is 30 days.',
    async (run) => {
      const { exchange, recordedAt } = await run.registration('minimal');
      const { token_expires_at: expires } = expectObject(exchange) as { readonly token_expires_at?: unknown };
      const since = recordedAt === undefined ? Date.now() : Date.parse(recordedAt);
      const days = (Date.parse(String(expires)) - since) / 86_400_000;
      return { observed: `${days.toFixed(2)} days`, matchesDecision: Math.abs(days - 30) < 0.05 };
    },
  ),
  observation('rotation-members', 'AP-TOKEN-014', 'Which members does a rotation return? (D-4)', async (run) => {
    const names = Object.keys(expectObject(run.recall('rotation')));
    return { observed: names.join(', '), matchesDecision: names.toSorted().join() === 'token,token_expires_at' };
  }),
  observation('revocation-members', 'AP-TOKEN-015', 'Which members does a revocation return? (D-4)', async (run) => {
    const { json } = run.recall('revocation');
    return { observed: JSON.stringify(json), matchesDecision: JSON.stringify(json) === '{"revoked":true}' };
  }),
  observation('health', 'AP-VERSION-006', 'Which paths report the health of the server? (D-17)', async (run) => {
    const answers = [await run.send({ path: '/health/live' }), await run.send({ path: '/health/ready' })];
    const isOk = answers.every(({ status, text }) => status === 200 && text === '{"status":"ok"}');
    return {
      observed: `/health/live ${answers[0]?.status}, /health/ready ${answers[1]?.status}`,
      matchesDecision: isOk,
    };
  }),
  observation('openapi', 'AP-VERSION-004', 'Which paths serve the machine-readable contracts? (D-18)', async (run) => {
    const { status, json } = await run.send({ path: '/openapi.json' });
    if (!isObject(json) || !isObject(json['info']))
      return { observed: `/openapi.json ${status}`, matchesDecision: false };
    const { openapi, info } = json as { readonly openapi?: unknown; readonly info: { readonly version?: unknown } };
    const asDecided = status === 200 && /^3\.1\./.test(String(openapi)) && info.version === '0.1.0';
    return {
      observed: `/openapi.json: OpenAPI ${String(openapi)}, interface ${String(info.version)}`,
      matchesDecision: asDecided,
    };
  }),
  observation('request-id', 'AP-ERR-013', 'Does every answer carry a request id? (D-15)', async (run) => {
    const { token } = await run.primaryAgent();
    const answers = [await run.send({ path, token }), await run.send({ path })];
    const isNamed = answers.every(({ headers }) => typeof headers['request-id'] === 'string');
    return {
      observed: isNamed ? 'in the header request-id' : 'not in the header request-id',
      matchesDecision: isNamed,
    };
  }),
  observation('slash', 'AP-TRANSPORT-007', 'How is a trailing slash handled? (D-44)', async (run) => {
    return await answersWith(run, { path: `${path}/` }, 404, 'not_found');
  }),
  observation('head', 'AP-TRANSPORT-011', 'Is HEAD supported wherever GET is? (D-44)', async (run) => {
    const { token } = await run.primaryAgent();
    const { status, text } = await run.send({ method: 'HEAD', path, token });
    return { observed: String(status), matchesDecision: status === 200 && text === '' };
  }),
  observation(
    'capital-id',
    'AP-TRANSPORT-012',
    'Are UUIDs in upper case accepted? (D-44)',
    async (run) => {
      const { id, token } = await run.primaryAgent();
      const opening = await run.send({ method: 'PATCH', path, token, json: { profile_public: true } });
      expectStatus(opening, 200);
      const { status } = await run.send({ path: `/api/v1/bots/${id.toUpperCase()}`, token });
      return { observed: String(status), matchesDecision: status === 200 };
    },
    { writes: 1 },
  ),
  observation(
    'empty-change',
    'AP-ME-015',
    'How is an update without members handled? (D-21)',
    async (run) => {
      const { token } = await run.primaryAgent();
      const { status } = await run.send({ method: 'PATCH', path, token, json: {} });
      return { observed: String(status), matchesDecision: status === 200 };
    },
    { writes: 1 },
  ),
  observation(
    'characters',
    'AP-ME-014',
    'Are lengths counted in code points? (D-21)',
    async (run) => {
      const { token } = await run.primaryAgent();
      const { status } = await run.send({
        method: 'PATCH',
        path,
        token,
        json: { display_name: '𝒜'.repeat(80) },
      });
      const back = await run.send({ method: 'PATCH', path, token, json: { display_name: 'Conformance' } });
      expectStatus(back, 200);
      return { observed: `80 characters of 2 UTF-16 units each: ${status}`, matchesDecision: status === 200 };
    },
    { writes: 2 },
  ),
  ...refusalObservations,
  ...publicObservations,
  ...fileObservations,
  ...contactObservations,
  ...messageObservations,
  ...orderObservations,
  ...eventObservations,
];

async function readMe(run: Run) {
  const { token } = await run.primaryAgent();
  const exchange = await run.send({ path, token });
  expectStatus(exchange, 200);
  return expectBot(exchange);
}
