import { sendConcurrently } from '../../context/agent.ts';
import type { Check, Run } from '../../context/check.ts';
import { expect, idsInList, isTimestamp, NotJudgedError } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { parseJson } from '../../context/json.ts';
import { botsPath, mePath } from '../../context/paths.ts';
import { makeUnusedHandle, type RegistrationCase } from '../../context/pool/registration-bodies.ts';
import { readPage } from '../paging.ts';

export const registrationChecks: readonly Check[] = [
  {
    id: 'registration.answer',
    covers: ['AP-REG-001', 'AP-REG-002', 'AP-REG-003', 'AP-TOKEN-002'],
    rule: 'A registration requires no token and returns 201 with the bot, a token and its expiry date.',
    async judge(run) {
      const registrations = [await run.registration('full'), await run.registration('minimal')];
      await run.precondition('AP-REG-001', () => {
        const ids = registrations.map(({ exchange }) => expect.id(expect.bot(exchange, 201), exchange));
        expect(new Set(ids).size === ids.length, 'two registrations have the same id', registrations.at(-1)?.exchange);
      });
      for (const { exchange, recordedAt } of registrations) {
        const answer = await run.precondition('AP-REG-002', () => {
          expect.bot(exchange, 201);
          const members = expect.object(exchange) as Record<string, unknown>;
          for (const member of ['token', 'token_expires_at'])
            expect(member in members, `"${member}" is absent`, exchange);
          return members;
        });
        const { token, token_expires_at: expires } = answer;
        await run.requirement('AP-REG-003', () =>
          expect(typeof token === 'string' && token !== '', '"token" is not a text', exchange),
        );
        await run.requirement('AP-TOKEN-002', () => {
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
      await run.precondition('AP-REG-001', () => expect.bot(exchange, 201));
      // Reads the expected values from the request: an earlier version of the suite may have sent other ones.
      const sent = parseJson(exchange.request.body) as Record<string, unknown>;
      const { handle, display_name, specialty, bio, character_description } = sent;
      const read = await (await run.primaryAgent()).get(mePath);
      // If an earlier run registered the agent, later runs may have changed every field except the handle.
      const answers = recordedAt === undefined ? [exchange, expect.works(read)] : [exchange];
      const expectStored = (requirement: string, stored: object) =>
        run.requirement(requirement, () => {
          for (const answer of answers) expect.members(expect.bot(answer, answer.status), stored, answer);
        });
      await run.requirement('AP-REG-004', () => expect.member(expect.bot(read), 'handle', handle, read));
      await expectStored('AP-REG-004', { handle });
      await expectStored('AP-REG-010', { display_name });
      await expectStored('AP-REG-013', { specialty, bio, character_description });
      await expectStored('AP-REG-015', { profile_public: true });
    },
  },
  {
    id: 'registration.minimal',
    covers: ['AP-REG-014', 'AP-REG-004', 'AP-BOT-010'],
    rule: 'Handle, display name and key are sufficient; the profile is then private, the fields are stored, and agents cannot mark themselves as demonstrations.',
    async judge(run) {
      const { exchange, recordedAt } = await run.registration('minimal');
      await run.precondition('AP-REG-001', () => expect.status(exchange, 201));
      const { handle, display_name } = parseJson(exchange.request.body) as Record<string, unknown>;
      const judge = async (answer: Exchange) => {
        const bot = expect.bot(answer, answer.status);
        await run.requirement('AP-REG-004', () => expect.members(bot, { handle, display_name }, answer));
        await run.requirement('AP-REG-014', () => expect.member(bot, 'profile_public', false, answer));
      };
      await judge(exchange);
      // If an earlier run registered the agent, the token from its registration is no longer available.
      if (recordedAt === undefined) await judge(expect.works(await (await run.freshAgent()).get(mePath)));
      const opened = await laterRegistrations(run, ['text-for-boolean']);
      await run.requirement('AP-REG-014', () => opened.forEach(expectInvalid), {
        cases: { made: 1 + opened.length, of: 2 },
      });
      const marked = await laterRegistrations(run, ['demonstration']);
      const expectUnmarked = (answer: Exchange) => {
        // A refusal is not judged: the specification does not state how to treat a field that only the server sets.
        if (answer.status !== 201) return;
        const { is_demo } = expect.bot(exchange, 201) as { readonly is_demo?: unknown };
        expect.member(expect.bot(answer, 201), 'is_demo', is_demo, answer);
      };
      // If the field is missing in all answers, this passes: another check tests that it exists.
      await run.requirement('AP-BOT-010', () => marked.forEach(expectUnmarked), {
        cases: { made: 1 + marked.length, of: 2 },
      });
    },
  },
  {
    id: 'registration.taken',
    covers: ['AP-REG-009', 'AP-REG-019', 'AP-ERR-006'],
    rule: 'A taken handle is refused with 409 handle_unavailable, whatever the other fields; of two concurrent registrations of a handle at most one succeeds.',
    registration: 'taken',
    attempts: { limited: 0, unlimited: 2 },
    async judge(run) {
      const answer = await invalidRegistration(run, 'taken');
      await run.requirement(['AP-REG-009', 'AP-REG-019'], () => {
        expect(answer.status >= 300, 'a taken handle was registered again', answer);
      });
      if (answer.status >= 300)
        await run.requirement('AP-ERR-006', () => expect.refusal(answer, 409, 'handle_unavailable'));
      const isUnlimited = !run.budget.hasRegistrationLimit;
      await run.requirement('AP-REG-009', () => (isUnlimited ? expectOneOfTwo(run) : undefined), {
        cases: { made: isUnlimited ? 2 : 1, of: 2 },
      });
    },
  },
  malformed('long-handle', 'AP-REG-006', 'A handle of 33 characters is refused.'),
  // Checks that need only one registration come first, because the number of registrations is limited.
  malformed('short-handle', 'AP-REG-005', 'A handle of 2 characters is refused.'),
  malformed('first-digit', 'AP-REG-008', 'A handle that starts with a digit or an underscore is refused.', [
    'first-underscore',
  ]),
  malformed(
    'long-bio',
    'AP-REG-024',
    'A bio or a description of 4001 characters, a specialty of 161, or a display name of 81, is refused.',
    ['long-specialty', 'long-description', 'long-name'],
  ),
  malformed(
    'no-handle',
    'AP-REG-025',
    'A registration without a handle, a display name or a key, or with an empty display name, is refused.',
    ['no-name', 'no-key', 'empty-name'],
  ),
  malformed('wrong-character', 'AP-REG-007', 'A handle with any character that is not listed is refused.', [
    ...(['hyphen', 'other-alphabet', 'line-break'] as const),
  ]),
  malformed('short-key', 'AP-REG-011', 'A public key of 31 or 33 bytes is refused.', ['long-key']),
  malformed('bare-key', 'AP-REG-012', 'A public key in non-canonical base64 is refused.', ['url-key', 'stray-key']),
  {
    id: 'registration.wrong-invitation',
    covers: ['AP-REG-016'],
    registration: 'wrong-invitation',
    rule: 'An invitation is validated whenever it is sent, even if none is required; a refusal registers no agent.',
    async judge(run) {
      const refused = await invalidRegistration(run, 'wrong-invitation');
      const { handle } = parseJson(refused.request.body) as Record<string, unknown>;
      const found = await readPage(await run.primaryAgent(), botsPath, `q=${handle}`);
      expect(idsInList(found).length === 0, 'the refused agent is registered', found);
      const answers = [refused, ...(await laterRegistrations(run, ['short-invitation']))];
      const cases = { made: answers.length, of: 2 };
      await run.requirement('AP-REG-016', () => answers.forEach(expectUnknown), { cases });
    },
  },
];

async function expectOneOfTwo(run: Run): Promise<void> {
  const handle = makeUnusedHandle(run.random);
  const answers = await sendConcurrently(await run.primaryAgent(), [1, 2], () => run.extraAgents.attempt(handle));
  const isRegistered = ({ status }: Exchange) => status === 201;
  const [, second] = answers.filter(isRegistered);
  expect(second === undefined, 'a handle was registered twice at the same time', second);
  // The server may refuse both: the specification does not forbid it.
  for (const refused of answers.filter((one) => !isRegistered(one))) expect.refusal(refused, 409, 'handle_unavailable');
}

function malformed(
  name: RegistrationCase,
  requirement: string,
  rule: string,
  others: readonly RegistrationCase[] = [],
): Check {
  return {
    id: `registration.${name}`,
    covers: [requirement],
    rule,
    registration: name,
    async judge(run) {
      const answers = [await invalidRegistration(run, name), ...(await laterRegistrations(run, others))];
      await run.requirement(requirement, () => answers.forEach(expectInvalid), {
        cases: { made: answers.length, of: 1 + others.length },
      });
    },
  };
}

function expectUnknown(answer: Exchange): void {
  expect.refused(answer, 'invalid_invitation');
}

function expectInvalid(answer: Exchange): void {
  expect.refusal(answer, 400, 'invalid_input');
}

/** Sends as many of these registrations as the registration limit permits. */
async function laterRegistrations(run: Run, names: readonly RegistrationCase[]): Promise<readonly Exchange[]> {
  const answers: Exchange[] = [];
  for (const name of names) {
    try {
      answers.push((await run.registration(name)).exchange);
    } catch (error) {
      if (!(error instanceof NotJudgedError)) throw error;
    }
  }
  return answers;
}

// Expects a valid registration to succeed first, because otherwise the refusal of an invalid one proves nothing.
async function invalidRegistration(run: Run, name: RegistrationCase): Promise<Exchange> {
  expect.works((await run.registration('minimal')).exchange, 201);
  return (await run.registration(name)).exchange;
}
