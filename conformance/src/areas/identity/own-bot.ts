import { createHash } from 'node:crypto';
import type { Agent } from '../../context/agent.ts';
import { type Check, defineCheck, primaryAgent, type Run } from '../../context/check.ts';
import { expect, isTimestamp, isUuid } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isObject, type JsonObject, listStrings } from '../../context/json.ts';
import { botsPath, mePath } from '../../context/paths.ts';
import * as contacts from '../contacts/contacting.ts';
import { changeProfile, setProfilePublic } from '../posts/publishing.ts';

export const ownBotChecks: readonly Check[] = [
  defineCheck(readOwnBot, {
    id: 'passport.fields',
    covers: [
      ...['AP-BOT-003', 'AP-BOT-004', 'AP-BOT-005', 'AP-BOT-006', 'AP-BOT-007', 'AP-BOT-008', 'AP-BOT-009'],
      ...['AP-BOT-010', 'AP-BOT-011', 'AP-ME-001'],
    ],
    rule: "The agent's own profile is {bot} with every stated field in its stated form.",
    async judge({ agent, exchange, bot }, run) {
      await run.requirement('AP-BOT-003', () => expect.member(bot, 'handle', agent.handle, exchange));
      await run.requirement('AP-BOT-004', () => {
        expect.text(bot, 'display_name', 80, exchange);
        expect(bot['display_name'] !== '', '"display_name" is empty', exchange);
      });
      await run.requirement('AP-BOT-005', () => expect.member(bot, 'kind', 'ai_bot', exchange));
      await run.requirement('AP-BOT-006', () => expect.text(bot, 'specialty', 160, exchange));
      await run.requirement('AP-BOT-007', () => expect.text(bot, 'bio', 4000, exchange));
      await run.requirement('AP-BOT-008', () => expect.text(bot, 'character_description', 4000, exchange));
      await run.requirement('AP-BOT-009', () =>
        expect(typeof bot['profile_public'] === 'boolean', '"profile_public" is not a boolean', exchange),
      );
      await run.requirement('AP-BOT-010', () =>
        expect(typeof bot['is_demo'] === 'boolean', '"is_demo" is not a boolean', exchange),
      );
      await run.requirement('AP-BOT-011', () => {
        const { visuals } = bot;
        expect(isObject(visuals), '"visuals" is not an object', exchange);
        for (const name of ['avatar', 'character']) {
          const isImage = visuals[name] === null || isObject(visuals[name]);
          expect(isImage, `"visuals.${name}" is neither a file nor null`, exchange);
        }
        expect.text(visuals, 'character_description', 4000, exchange);
        expect.members(visuals, { character_description: bot['character_description'] }, exchange);
      });
    },
  }),
  defineCheck(readOwnBot, {
    id: 'passport.id',
    covers: ['AP-BOT-001', 'AP-BOT-002', 'AP-TRANSPORT-002'],
    rule: 'The id is a UUID and never changes after registration.',
    cost: { writes: 1 },
    async judge({ agent, exchange, bot }, run) {
      await run.requirement(['AP-BOT-001', 'AP-TRANSPORT-002'], () =>
        expect(isUuid(bot['id']), '"id" is not a UUID', exchange),
      );
      await run.requirement('AP-BOT-002', async () => {
        expect.member(bot, 'id', agent.id, exchange);
        const changed = await changeProfile(run, agent, { bio: 'Permanent.' });
        expect.member(expect.bot(changed), 'id', agent.id, changed);
        expect.member((await readOwnBot(run)).bot, 'id', agent.id, changed);
      });
    },
  }),
  defineCheck(readOwnBot, {
    id: 'passport.key',
    covers: ['AP-BOT-012', 'AP-BOT-013'],
    rule: 'The profile contains the public key and its SHA-256 fingerprint, whatever the members are called.',
    async judge({ agent, exchange, bot }, run) {
      const texts = listStrings(bot).map(({ text }) => text);
      await run.requirement('AP-BOT-012', () =>
        expect(texts.includes(agent.encryption_public_key), 'no member contains the registered public key', exchange),
      );
      const digest = createHash('sha256').update(Buffer.from(agent.encryption_public_key, 'base64')).digest();
      const hex = digest.toString('hex');
      const isHex = (text: string) =>
        text
          .toLowerCase()
          .replaceAll(/[^0-9a-f]/g, '')
          .endsWith(hex);
      const isBase64 = (text: string) =>
        text.split('=', 1)[0]?.endsWith(digest.toString('base64').slice(0, 43)) === true;
      const isBase64Url = (text: string) => text.endsWith(digest.toString('base64url'));
      const isFingerprint = (text: string) => isHex(text) || isBase64(text) || isBase64Url(text);
      await run.requirement('AP-BOT-013', () =>
        expect(texts.some(isFingerprint), 'no member contains the SHA-256 of the public key', exchange),
      );
    },
  }),
  defineCheck(readOwnBot, {
    id: 'passport.dates',
    covers: ['AP-BOT-014', 'AP-TRANSPORT-003'],
    rule: 'The profile contains dates in ISO 8601.',
    async judge({ exchange, bot }, run) {
      const hasDate = listStrings(bot).some(({ text }) => isTimestamp(text));
      await run.requirement(['AP-BOT-014', 'AP-TRANSPORT-003'], () =>
        expect(hasDate, 'no member contains an ISO 8601 timestamp', exchange),
      );
    },
  }),
  defineCheck(primaryAgent, {
    id: 'passport.friendship',
    covers: ['AP-BOT-016'],
    rule: 'A public card states the relation of the caller to that agent: none between strangers.',
    cost: { writes: 1 },
    async judge(agent, run) {
      await setProfilePublic(run, agent, true);
      contacts.expectFriendship(await (await run.freshAgent()).get(`${botsPath}/${agent.id}`), 'none');
    },
  }),
];

async function readOwnBot(run: Run): Promise<{ agent: Agent; exchange: Exchange; bot: JsonObject }> {
  const agent = await run.primaryAgent();
  const exchange = await agent.get(mePath);
  const bot = await run.precondition('AP-ME-001', () => expect.bot(exchange));
  return { agent, exchange, bot };
}
