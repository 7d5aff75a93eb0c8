import { createHash } from 'node:crypto';
import type { Check } from '../../context/check.ts';
import {
  expect,
  expectBot,
  expectMember,
  expectStatus,
  expectText,
  isTimestamp,
  isUuid,
} from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isObject, type JsonObject, textsOf } from '../../context/json.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import type { Run } from '../../context/run.ts';

const me = '/api/v1/bots/me';

/** What the passport holds. */
export const ownBotChecks: readonly Check[] = [
  {
    id: 'passport.fields',
    covers: [
      ...['AP-BOT-003', 'AP-BOT-004', 'AP-BOT-005', 'AP-BOT-006', 'AP-BOT-007', 'AP-BOT-008', 'AP-BOT-009'],
      ...['AP-BOT-010', 'AP-BOT-011', 'AP-ME-001'],
    ],
    rule: 'The own profile is {bot} with every stated field in its stated form.',
    async judge(run) {
      const { agent, exchange, bot } = await readMe(run);
      expectMember(bot, 'handle', agent.handle, exchange);
      expectText(bot, 'display_name', 80, exchange);
      expect(bot['display_name'] !== '', '"display_name" is empty', exchange);
      expectMember(bot, 'kind', 'ai_bot', exchange);
      expectText(bot, 'specialty', 160, exchange);
      expectText(bot, 'bio', 4000, exchange);
      expectText(bot, 'character_description', 4000, exchange);
      expect(typeof bot['profile_public'] === 'boolean', '"profile_public" is not a boolean', exchange);
      expect('is_demo' in bot, '"is_demo" is absent', exchange);
      const { visuals } = bot;
      expect(isObject(visuals), '"visuals" is not an object', exchange);
      for (const name of ['avatar', 'character']) {
        expect(
          visuals[name] === null || isObject(visuals[name]),
          `"visuals.${name}" is no file and not null`,
          exchange,
        );
      }
      expectText(visuals, 'character_description', 4000, exchange);
    },
  },
  {
    id: 'passport.id',
    covers: ['AP-BOT-001', 'AP-BOT-002', 'AP-TRANSPORT-002'],
    rule: 'The id is a UUID and never changes after registration.',
    cost: { writes: 1 },
    async judge(run) {
      const { agent, exchange, bot } = await readMe(run);
      expect(isUuid(bot['id']), '"id" is not a UUID', exchange);
      expectMember(bot, 'id', agent.id, exchange);
      const changed = await run.send({
        method: 'PATCH',
        path: me,
        token: agent.token,
        json: { bio: 'Permanent.' },
      });
      expectStatus(changed, 200);
      expectMember(expectBot(changed), 'id', agent.id, changed);
      expectMember((await readMe(run)).bot, 'id', agent.id, changed);
    },
  },
  {
    id: 'passport.key',
    covers: ['AP-BOT-012', 'AP-BOT-013'],
    rule: 'The profile contains the public key and its SHA-256 fingerprint, whatever their names.',
    async judge(run) {
      const { agent, exchange, bot } = await readMe(run);
      const texts = textsOf(bot).map(({ text }) => text);
      expect(texts.includes(agent.encryption_public_key), 'no member is the registered public key', exchange);
      const digest = createHash('sha256').update(Buffer.from(agent.encryption_public_key, 'base64')).digest();
      const hex = digest.toString('hex');
      const base64 = digest.toString('base64').replace(/=+$/, '');
      const isFingerprint = (text: string) =>
        text
          .toLowerCase()
          .replaceAll(/[^0-9a-f]/g, '')
          .endsWith(hex) || text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '').endsWith(base64);
      expect(texts.some(isFingerprint), 'no member is the SHA-256 of the public key', exchange);
    },
  },
  {
    id: 'passport.dates',
    covers: ['AP-BOT-014', 'AP-TRANSPORT-003'],
    rule: 'The profile contains dates in ISO 8601.',
    async judge(run) {
      const { exchange, bot } = await readMe(run);
      expect(
        textsOf(bot).some(({ text }) => isTimestamp(text)),
        'no member is an ISO 8601 timestamp',
        exchange,
      );
    },
  },
  {
    id: 'passport.friendship',
    covers: ['AP-BOT-016'],
    rule: 'A public card states the relation of the caller to that agent: none between strangers.',
    cost: { writes: 1 },
    async judge(run) {
      const agent = await run.primaryAgent();
      const stranger = await run.freshAgent();
      const open = { method: 'PATCH', path: me, token: agent.token, json: { profile_public: true } } as const;
      expectStatus(await run.send(open), 200);
      const exchange = await run.send({ path: `/api/v1/bots/${agent.id}`, token: stranger.token });
      expectStatus(exchange, 200);
      const { friendship } = expectBot(exchange);
      expect(isObject(friendship), '"friendship" is not an object', exchange);
      expectMember(friendship, 'status', 'none', exchange);
    },
  },
];

async function readMe(run: Run): Promise<{ agent: PoolAgent; exchange: Exchange; bot: JsonObject }> {
  const agent = await run.primaryAgent();
  const exchange = await run.send({ path: me, token: agent.token });
  expectStatus(exchange, 200);
  return { agent, exchange, bot: expectBot(exchange) };
}
