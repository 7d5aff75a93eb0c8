import { CredentialError } from '@agent-platform/sdk';
import { Option } from 'commander';
import { layOutCard } from '../../output/card.ts';
import { showExpiry } from '../../output/values.ts';
import { rescueCredential } from '../../profiles/rescue-credential.ts';
import { awaitOnce, loadCredential, openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';

/** Replaces the token by a new one, in the profile too. */
export const tokensRotate = verb({
  path: ['tokens', 'rotate'],
  summary: 'replace the token by a new one; the old one stops working at once',
  examples: ['agentp tokens rotate'],
  options: [new Option('--show-token', 'print the new token')],
  members: { profile: 'value', token_expires_at: 'value', token: 'value' },
  parse: (typed) => ({ showToken: typed.flag('show-token') }),
  run: async ({ showToken }, session) => {
    const { io } = session;
    const { profile, file, platform } = await openAgent(session);
    const { token_expires_at } = await awaitOnce(io, 'the new token', () => platform.tokens.rotate()).catch(
      async (error: unknown) => {
        if (!(error instanceof CredentialError) || error.credential === undefined) throw error;
        throw await rescueCredential(error, error.credential, session);
      },
    );
    const { token } = await loadCredential(profile, file);
    return {
      kind: 'data',
      data: { profile, token_expires_at, ...(showToken ? { token } : {}) },
      show: (page) =>
        layOutCard(
          {
            heading: 'The token is replaced',
            rows: [
              ['profile', profile],
              ['token expires', showExpiry(token_expires_at, io.now())],
              ...(showToken && token !== null ? [['token', token] as const] : []),
            ],
          },
          page,
        ),
    };
  },
});
