import type { Check } from '../../context/check.ts';
import {
  codeOf,
  expect,
  expectBot,
  expectCode,
  expectMember,
  expectObject,
  expectRefusal,
  expectStatus,
  isTimestamp,
} from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { parseJson } from '../../context/json.ts';
import { fullTexts, type RegistrationCase } from '../../context/pool/registration-bodies.ts';
import type { Run } from '../../context/run.ts';

/** The registrations that must work, and the ones that must not. */
export const registrationChecks: readonly Check[] = [
  {
    id: 'registration.answer',
    covers: ['AP-REG-001', 'AP-REG-002', 'AP-REG-003', 'AP-TOKEN-002'],
    rule: 'A registration requires no token and returns 201 with the bot, a token and its expiry date.',
    async judge(run) {
      for (const name of ['full', 'minimal'] as const) {
        const { exchange, recordedAt } = await run.registration(name);
        expectStatus(exchange, 201);
        expectBot(exchange);
        const { token, token_expires_at: expires } = expectObject(exchange) as Record<string, unknown>;
        expect(typeof token === 'string' && token !== '', '"token" is not a text', exchange);
        expect(isTimestamp(expires), '"token_expires_at" is not an ISO 8601 timestamp', exchange);
        const since = recordedAt === undefined ? Date.now() : Date.parse(recordedAt);
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
      expectStatus(exchange, 201);
      const bot = expectBot(exchange);
      const sent = parseJson(exchange.request.body) as Record<string, unknown>;
      const kept = { handle: sent['handle'], profile_public: true, ...fullTexts };
      for (const [name, value] of Object.entries(kept)) expectMember(bot, name, value, exchange);
      const read = await run.send({ path: '/api/v1/bots/me', token: (await run.primaryAgent()).token });
      expectStatus(read, 200);
      // Since an earlier run all but the handle may have been changed.
      const lasting = recordedAt === undefined ? kept : { handle: kept.handle };
      for (const [name, value] of Object.entries(lasting)) expectMember(expectBot(read), name, value, read);
    },
  },
  {
    id: 'registration.minimal',
    covers: ['AP-REG-014', 'AP-REG-004'],
    rule: 'Handle, display name and key are sufficient; the profile is then closed and the fields are stored.',
    async judge(run) {
      const { exchange, agent } = await run.registration('minimal');
      expectStatus(exchange, 201);
      const { handle, display_name } = parseJson(exchange.request.body) as Record<string, unknown>;
      const kept = { handle, display_name, profile_public: false };
      for (const [name, value] of Object.entries(kept)) expectMember(expectBot(exchange), name, value, exchange);
      // Of an earlier run the answer is left, and the token is over.
      if (agent === undefined) return;
      const read = await run.send({ path: '/api/v1/bots/me', token: agent.token });
      expectStatus(read, 200);
      for (const [name, value] of Object.entries(kept)) expectMember(expectBot(read), name, value, read);
    },
  },
  {
    id: 'registration.taken',
    covers: ['AP-REG-009', 'AP-REG-019', 'AP-ERR-006'],
    rule: 'A taken handle is refused with 409 handle_unavailable, whatever the other fields.',
    async judge(run) {
      expectRefusal(await refusedBesideTwin(run, 'taken'), 409, 'handle_unavailable');
    },
  },
  malformed('long-handle', 'AP-REG-006', 'A handle of 33 characters is refused.'),
  malformed('wrong-character', 'AP-REG-007', 'A handle with an upper-case letter is refused.'),
  malformed('short-key', 'AP-REG-011', 'A public key of 31 bytes is refused.'),
  malformed('bare-key', 'AP-REG-012', 'A public key in non-canonical base64 is refused.'),
  {
    id: 'registration.wrong-invitation',
    covers: ['AP-REG-016'],
    rule: 'An invitation is validated whenever it is sent, even if none is required.',
    async judge(run) {
      const exchange = await refusedBesideTwin(run, 'wrong-invitation');
      expect(exchange.status >= 400 && exchange.status < 500, `it was answered ${exchange.status}`, exchange);
      expect(expectCode(exchange) === 'invalid_invitation', `the code is "${codeOf(exchange)}"`, exchange);
    },
  },
];

function malformed(name: RegistrationCase, requirement: string, rule: string): Check {
  return {
    id: `registration.${name}`,
    covers: [requirement],
    rule,
    async judge(run) {
      expectRefusal(await refusedBesideTwin(run, name), 400, 'invalid_input');
    },
  };
}

// A refusal proves nothing when the ordinary registration is refused as well.
async function refusedBesideTwin(run: Run, name: RegistrationCase): Promise<Exchange> {
  const twin = await run.registration('minimal');
  expectStatus(twin.exchange, 201);
  return (await run.registration(name)).exchange;
}
