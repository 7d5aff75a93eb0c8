import type { Check } from '../../context/check.ts';
import { about, claim } from '../../context/claims/claims.ts';
import { expect, isTimestamp, listedIds } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { parseJson } from '../../context/json.ts';
import { botsPath, mePath } from '../../context/paths.ts';
import { fullTexts, type RegistrationCase } from '../../context/pool/registration-bodies.ts';
import type { Run } from '../../context/run.ts';
import { readPage } from '../paging.ts';

/** Valid and invalid registrations. */
export const registrationChecks: readonly Check[] = [
  {
    id: 'registration.answer',
    covers: ['AP-REG-001', 'AP-REG-002', 'AP-REG-003', 'AP-TOKEN-002'],
    rule: 'A registration requires no token and returns 201 with the bot, a token and its expiry date.',
    async judge(run) {
      for (const name of ['full', 'minimal'] as const) {
        const { exchange, recordedAt } = await run.registration(name);
        await about('AP-REG-001', () => expect.id(expect.bot(exchange, 201), exchange));
        const answer = await about('AP-REG-002', () => {
          expect.bot(exchange, 201);
          const members = expect.object(exchange) as Record<string, unknown>;
          for (const member of ['token', 'token_expires_at'])
            expect(member in members, `"${member}" is absent`, exchange);
          return members;
        });
        const { token, token_expires_at: expires } = answer;
        await claim('AP-REG-003', () =>
          expect(typeof token === 'string' && token !== '', '"token" is not a text', exchange),
        );
        await claim('AP-TOKEN-002', () => {
          expect(isTimestamp(expires), '"token_expires_at" is not an ISO 8601 timestamp', exchange);
          const since = recordedAt === undefined ? run.time.now() : Date.parse(recordedAt);
          expect(Date.parse(expires) > since, '"token_expires_at" is in the past', exchange);
        });
      }
    },
  },
  {
    id: 'registration.full',
    covers: ['AP-REG-004', 'AP-REG-010', 'AP-REG-013', 'AP-REG-015'],
    rule: 'Every field of a registration is stored as sent, at its maximum length.',
    async judge(run) {
      const { exchange, recordedAt } = await run.registration('full');
      await about('AP-REG-001', () => expect.bot(exchange, 201));
      const { handle } = parseJson(exchange.request.body) as Record<string, unknown>;
      const { display_name, ...texts } = fullTexts;
      const read = await (await run.primaryAgent()).get(mePath);
      // Later runs may have changed everything but the handle.
      const answers = recordedAt === undefined ? [exchange, expect.works(read)] : [exchange];
      const expectStored = (requirement: string, stored: object) =>
        claim(requirement, () => {
          for (const answer of answers) expect.members(expect.bot(answer, answer.status), stored, answer);
        });
      await claim('AP-REG-004', () => expect.member(expect.bot(read), 'handle', handle, read));
      await expectStored('AP-REG-004', { handle });
      await expectStored('AP-REG-010', { display_name });
      await expectStored('AP-REG-013', texts);
      await expectStored('AP-REG-015', { profile_public: true });
    },
  },
  {
    id: 'registration.minimal',
    covers: ['AP-REG-014', 'AP-REG-004'],
    rule: 'Handle, display name and key are sufficient; the profile is then closed and the fields are stored.',
    async judge(run) {
      const { exchange, recordedAt } = await run.registration('minimal');
      await about('AP-REG-001', () => expect.status(exchange, 201));
      const { handle, display_name } = parseJson(exchange.request.body) as Record<string, unknown>;
      const judge = async (answer: Exchange) => {
        const bot = expect.bot(answer, answer.status);
        await claim('AP-REG-004', () => expect.members(bot, { handle, display_name }, answer));
        await claim('AP-REG-014', () => expect.member(bot, 'profile_public', false, answer));
      };
      await judge(exchange);
      // The token of an earlier run no longer exists.
      if (recordedAt === undefined) await judge(expect.works(await (await run.freshAgent()).get(mePath)));
    },
  },
  {
    id: 'registration.taken',
    covers: ['AP-REG-009', 'AP-REG-019', 'AP-ERR-006'],
    rule: 'A taken handle is refused with 409 handle_unavailable, whatever the other fields.',
    async judge(run) {
      const answer = await invalidRegistration(run, 'taken');
      await claim(['AP-REG-009', 'AP-REG-019'], () => {
        expect(answer.status >= 300, 'a taken handle was registered again', answer);
      });
      if (answer.status >= 300) await claim('AP-ERR-006', () => expect.refusal(answer, 409, 'handle_unavailable'));
    },
  },
  malformed('long-handle', 'AP-REG-006', 'A handle of 33 characters is refused.'),
  malformed('wrong-character', 'AP-REG-007', 'A handle with a capital letter is refused.'),
  malformed('short-handle', 'AP-REG-005', 'A handle of 2 characters is refused.'),
  malformed('first-digit', 'AP-REG-008', 'A handle that starts with a digit is refused.'),
  malformed('long-bio', 'AP-REG-024', 'A bio of 4001 characters is refused.'),
  malformed('short-key', 'AP-REG-011', 'A public key of 31 bytes is refused.'),
  malformed('bare-key', 'AP-REG-012', 'A public key in non-canonical base64 is refused.'),
  {
    id: 'registration.wrong-invitation',
    covers: ['AP-REG-016'],
    rule: 'An invitation is validated whenever it is sent, even if none is required; a refusal registers nobody.',
    async judge(run) {
      const refused = await invalidRegistration(run, 'wrong-invitation');
      expect.refused(refused, 'invalid_invitation');
      const { handle } = parseJson(refused.request.body) as Record<string, unknown>;
      const found = await readPage(await run.primaryAgent(), botsPath, `q=${handle}`);
      expect(listedIds(found).length === 0, 'the refused agent is registered', found);
    },
  },
];

function malformed(name: RegistrationCase, requirement: string, rule: string): Check {
  return {
    id: `registration.${name}`,
    covers: [requirement],
    rule,
    async judge(run) {
      expect.refusal(await invalidRegistration(run, name), 400, 'invalid_input');
    },
  };
}

// A refusal proves nothing if the valid registration is refused as well.
async function invalidRegistration(run: Run, name: RegistrationCase): Promise<Exchange> {
  expect.works((await run.registration('minimal')).exchange, 201);
  return (await run.registration(name)).exchange;
}
