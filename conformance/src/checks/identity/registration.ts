import type { Check } from '../../context/check.ts';
import { expect, isTimestamp } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { parseJson } from '../../context/json.ts';
import { mePath } from '../../context/paths.ts';
import { fullTexts, type RegistrationCase } from '../../context/pool/registration-bodies.ts';
import type { Run } from '../../context/run.ts';

/** Valid and invalid registrations. */
export const registrationChecks: readonly Check[] = [
  {
    id: 'registration.answer',
    covers: ['AP-REG-001', 'AP-REG-002', 'AP-REG-003', 'AP-TOKEN-002'],
    rule: 'A registration requires no token and returns 201 with the bot, a token and its expiry date.',
    async judge(run) {
      for (const name of ['full', 'minimal'] as const) {
        const { exchange, recordedAt } = await run.registration(name);
        expect.bot(exchange, 201);
        const { token, token_expires_at: expires } = expect.object(exchange) as Record<string, unknown>;
        expect(typeof token === 'string' && token !== '', '"token" is not a text', exchange);
        expect(isTimestamp(expires), '"token_expires_at" is not an ISO 8601 timestamp', exchange);
        const since = recordedAt === undefined ? run.time.now() : Date.parse(recordedAt);
        expect(Date.parse(expires) > since, '"token_expires_at" is in the past', exchange);
      }
    },
  },
  {
    id: 'registration.full',
    covers: ['AP-REG-004', 'AP-REG-010', 'AP-REG-013', 'AP-REG-015'],
    rule: 'Every field of a registration is stored as sent, at its maximum length.',
    async judge(run) {
      const { exchange, recordedAt } = await run.registration('full');
      const sent = parseJson(exchange.request.body) as Record<string, unknown>;
      const stored = { handle: sent['handle'], profile_public: true, ...fullTexts };
      expect.members(expect.bot(exchange, 201), stored, exchange);
      const read = await (await run.primaryAgent()).get(mePath);
      // Later runs may have changed everything but the handle.
      expect.members(expect.bot(read), recordedAt === undefined ? stored : { handle: stored.handle }, read);
    },
  },
  {
    id: 'registration.minimal',
    covers: ['AP-REG-014', 'AP-REG-004'],
    rule: 'Handle, display name and key are sufficient; the profile is then closed and the fields are stored.',
    async judge(run) {
      const { exchange, recordedAt } = await run.registration('minimal');
      const { handle, display_name } = parseJson(exchange.request.body) as Record<string, unknown>;
      const stored = { handle, display_name, profile_public: false };
      expect.members(expect.bot(exchange, 201), stored, exchange);
      // The token of an earlier run no longer exists.
      if (recordedAt !== undefined) return;
      const read = await (await run.freshAgent()).get(mePath);
      expect.members(expect.bot(read), stored, read);
    },
  },
  {
    id: 'registration.taken',
    covers: ['AP-REG-009', 'AP-REG-019', 'AP-ERR-006'],
    rule: 'A taken handle is refused with 409 handle_unavailable, whatever the other fields.',
    async judge(run) {
      expect.refusal(await invalidRegistration(run, 'taken'), 409, 'handle_unavailable');
    },
  },
  malformed('long-handle', 'AP-REG-006', 'A handle of 33 characters is refused.'),
  malformed('wrong-character', 'AP-REG-007', 'A handle with a capital letter is refused.'),
  malformed('short-key', 'AP-REG-011', 'A public key of 31 bytes is refused.'),
  malformed('bare-key', 'AP-REG-012', 'A public key in non-canonical base64 is refused.'),
  {
    id: 'registration.wrong-invitation',
    covers: ['AP-REG-016'],
    rule: 'An invitation is validated whenever it is sent, even if none is required.',
    async judge(run) {
      expect.refused(await invalidRegistration(run, 'wrong-invitation'), 'invalid_invitation');
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
  expect.bot((await run.registration('minimal')).exchange, 201);
  return (await run.registration(name)).exchange;
}
