import type { Look } from '../context/check.ts';
import { demandBot, demandObject, demandStatus, isTimestamp } from '../context/expectations.ts';
import { isObject, textsOf } from '../context/json.ts';
import type { Run } from '../context/run.ts';
import { contactLooks } from './contacts/contact-observations.ts';
import { eventLooks } from './events/event-observations.ts';
import { fileLooks } from './files/file-observations.ts';
import { messageLooks } from './messages/message-observations.ts';
import { answersWith, look } from './observation.ts';
import { orderLooks } from './orders/order-observations.ts';
import { publicLooks } from './posts/public-observations.ts';
import { refusalLooks } from './transport/refusal-observations.ts';

const path = '/api/v1/bots/me';

/** What servers may choose, and what the reference server chose (D-n). */
export const allLooks: readonly Look[] = [
  look('passport-names', 'AP-BOT-015', 'How are the key, its fingerprint and the dates called? (D-1)', async (run) => {
    const bot = await readMe(run);
    const names = ['encryption_public_key', 'encryption_key_fingerprint', 'created_at', 'updated_at'];
    const isHex = /^[0-9a-f]{64}$/.test(String(bot['encryption_key_fingerprint']));
    return { seen: Object.keys(bot).join(', '), asDecided: names.every((name) => name in bot) && isHex };
  }),
  look('ids', 'AP-TRANSPORT-010', 'Of which version are the UUIDs? (D-16)', async (run) => {
    const { id } = await readMe(run);
    const version = String(id).charAt(14);
    return { seen: `version ${version}`, asDecided: version === '7' && id === String(id).toLowerCase() };
  }),
  look('timestamps', 'AP-TRANSPORT-009', 'In which zone and how exact are timestamps? (D-16)', async (run) => {
    const dates = textsOf(await readMe(run)).filter(({ text }) => isTimestamp(text));
    const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
    return { seen: dates.map(({ text }) => text).join(', '), asDecided: dates.every(({ text }) => form.test(text)) };
  }),
  look('token-form', 'AP-TOKEN-013', 'What does a token look like? (D-5)', async (run) => {
    const { token } = await run.kept();
    // The token itself must not be in a report.
    return { seen: `${token.length} characters`, asDecided: /^apt_[A-Za-z0-9_-]{43}$/.test(token) };
  }),
  look('token-lifetime', 'AP-TOKEN-003', 'How long does a token live? The stated default is 30 days.', async (run) => {
    const { exchange, recordedAt } = await run.registration('minimal');
    const { token_expires_at: expires } = demandObject(exchange) as { readonly token_expires_at?: unknown };
    const since = recordedAt === undefined ? Date.now() : Date.parse(recordedAt);
    const days = (Date.parse(String(expires)) - since) / 86_400_000;
    return { seen: `${days.toFixed(2)} days`, asDecided: Math.abs(days - 30) < 0.05 };
  }),
  look('rotation-members', 'AP-TOKEN-014', 'What else does a rotation answer? (D-4)', async (run) => {
    const names = Object.keys(demandObject(run.recall('rotation')));
    return { seen: names.join(', '), asDecided: names.toSorted().join() === 'token,token_expires_at' };
  }),
  look('revocation-members', 'AP-TOKEN-015', 'What does a revocation answer? (D-4)', async (run) => {
    const { json } = run.recall('revocation');
    return { seen: JSON.stringify(json), asDecided: JSON.stringify(json) === '{"revoked":true}' };
  }),
  look('health', 'AP-VERSION-006', 'Where is the health of the server? (D-17)', async (run) => {
    const answers = [await run.ask({ path: '/health/live' }), await run.ask({ path: '/health/ready' })];
    const isOk = answers.every(({ status, text }) => status === 200 && text === '{"status":"ok"}');
    return { seen: `/health/live ${answers[0]?.status}, /health/ready ${answers[1]?.status}`, asDecided: isOk };
  }),
  look('openapi', 'AP-VERSION-004', 'Where is the contract that machines read? (D-18)', async (run) => {
    const { status, json } = await run.ask({ path: '/openapi.json' });
    if (!isObject(json) || !isObject(json['info'])) return { seen: `/openapi.json ${status}`, asDecided: false };
    const { openapi, info } = json as { readonly openapi?: unknown; readonly info: { readonly version?: unknown } };
    const asDecided = status === 200 && /^3\.1\./.test(String(openapi)) && info.version === '0.1.0';
    return { seen: `/openapi.json: OpenAPI ${String(openapi)}, interface ${String(info.version)}`, asDecided };
  }),
  look('request-id', 'AP-ERR-013', 'Does every answer name its request? (D-15)', async (run) => {
    const { token } = await run.kept();
    const answers = [await run.ask({ path, token }), await run.ask({ path })];
    const isNamed = answers.every(({ headers }) => typeof headers['request-id'] === 'string');
    return { seen: isNamed ? 'in the header request-id' : 'not in the header request-id', asDecided: isNamed };
  }),
  look('slash', 'AP-TRANSPORT-007', 'What of a path with a slash at its end? (D-44)', async (run) => {
    return await answersWith(run, { path: `${path}/` }, 404, 'not_found');
  }),
  look('head', 'AP-TRANSPORT-011', 'Is HEAD answered where GET is? (D-44)', async (run) => {
    const { token } = await run.kept();
    const { status, text } = await run.ask({ method: 'HEAD', path, token });
    return { seen: String(status), asDecided: status === 200 && text === '' };
  }),
  look(
    'capital-id',
    'AP-TRANSPORT-012',
    'Does a UUID in capitals mean the same? (D-44)',
    async (run) => {
      const { id, token } = await run.kept();
      const opening = await run.ask({ method: 'PATCH', path, token, json: { profile_public: true } });
      demandStatus(opening, 200);
      const { status } = await run.ask({ path: `/api/v1/bots/${id.toUpperCase()}`, token });
      return { seen: String(status), asDecided: status === 200 };
    },
    { writes: 1 },
  ),
  look(
    'empty-change',
    'AP-ME-015',
    'What does a change without members do? (D-21)',
    async (run) => {
      const { token } = await run.kept();
      const { status } = await run.ask({ method: 'PATCH', path, token, json: {} });
      return { seen: String(status), asDecided: status === 200 };
    },
    { writes: 1 },
  ),
  look(
    'characters',
    'AP-ME-014',
    'Are lengths counted in code points? (D-21)',
    async (run) => {
      const { token } = await run.kept();
      const { status } = await run.ask({ method: 'PATCH', path, token, json: { display_name: '𝒜'.repeat(80) } });
      const back = await run.ask({ method: 'PATCH', path, token, json: { display_name: 'Conformance' } });
      demandStatus(back, 200);
      return { seen: `80 characters of 2 UTF-16 units each: ${status}`, asDecided: status === 200 };
    },
    { writes: 2 },
  ),
  ...refusalLooks,
  ...publicLooks,
  ...fileLooks,
  ...contactLooks,
  ...messageLooks,
  ...orderLooks,
  ...eventLooks,
];

async function readMe(run: Run) {
  const { token } = await run.kept();
  const exchange = await run.ask({ path, token });
  demandStatus(exchange, 200);
  return demandBot(exchange);
}
