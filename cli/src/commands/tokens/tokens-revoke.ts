import { Option } from 'commander';
import { UsageError } from '../../errors/failure.ts';
import type { Io } from '../../io/io.ts';
import { layOutCard } from '../../output/card.ts';
import { toVisibleLine } from '../../output/visible-text.ts';
import { awaitOnce, openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';

/** Gives up the token for good, after asking. */
export const tokensRevoke = verb({
  path: ['tokens', 'revoke'],
  summary: 'give up the token for good; there is no way back in',
  description:
    'Ends the token of the profile. There is no recovery: the agent can never act again, and its handle stays taken. To get a fresh token, use tokens rotate.',
  examples: ['agentp tokens revoke', 'agentp tokens revoke --profile alice --yes'],
  options: [new Option('--yes', 'do not ask; needed where nobody can be asked')],
  members: { revoked: 'value', profile: 'value', handle: 'value' },
  parse: (typed) => ({ isConfirmed: typed.flag('yes') }),
  run: async ({ isConfirmed }, session) => {
    const { profile, credential, platform } = await openAgent(session);
    if (!isConfirmed) await confirm(session.io, credential.handle);
    await awaitOnce(session.io, 'what became of the token', () => platform.tokens.revoke());
    return {
      kind: 'data',
      data: { revoked: true, profile, handle: credential.handle },
      show: (page) =>
        layOutCard(
          {
            heading: 'The token is revoked',
            rows: [
              ['agent', credential.handle],
              ['profile', `${profile} (keeps the keys, so that messages can still be opened)`],
            ],
          },
          page,
        ),
    };
  },
});

async function confirm(io: Io, handle: string): Promise<void> {
  if (!io.stdin.isTerminal || !io.stderr.isTerminal) {
    throw new UsageError(
      `Revoking the token of "${handle}" has no way back, and there is nobody to ask.`,
      'If it is meant: agentp tokens revoke --yes',
    );
  }
  io.stderr.write(
    `This ends the access of "${toVisibleLine(handle)}" for good: there is no recovery, and its handle stays taken.\nType the handle to go on: `,
  );
  const answer = await io.stdin.readLine();
  if (answer?.trim() === handle) return;
  throw new UsageError('Nothing was revoked.', `To go on, type the handle as it is: ${handle}`);
}
