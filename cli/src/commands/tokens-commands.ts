import { type CommandGroup, defineAgentCommand } from '@agent-platform/cli-core/command';
import { UsageError } from '@agent-platform/cli-core/errors/failure';
import type { Io } from '@agent-platform/cli-core/io/io';
import { writeQuestion } from '@agent-platform/cli-core/output/confirm';
import { formatCard } from '@agent-platform/cli-core/output/layout';
import { formatExpiry } from '@agent-platform/cli-core/output/values';
import { toVisibleLine } from '@agent-platform/cli-core/output/visible-text';
import { loadCredential } from '@agent-platform/cli-core/session/chosen-credential';
import { awaitDespiteInterruption, type OpenedAgent } from '@agent-platform/cli-core/session/session';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import { Option } from 'commander';

export const tokensCommands: CommandGroup = {
  noun: 'tokens',
  summary: 'the token: rotate or revoke it',
  commands: [
    defineAgentCommand({
      path: ['tokens', 'rotate'],
      effect: 'write',
      repeat: 'never',
      operations: ['rotateToken'],
      summary: 'replace the token with a new one; the old token stops working immediately',
      examples: ['agentp tokens rotate'],
      options: [new Option('--show-token', 'print the new token')],
      out: schema.objectOf(
        { profile: schema.text, token_expires_at: schema.orNull(schema.time) },
        { token: schema.orNull(schema.text) },
      ),
      parse: (args) => args.flag('show-token'),
      request: rotate,
      format: (page, { profile, token_expires_at, token }, { io }) =>
        formatCard(page, 'The token is replaced', [
          ['profile', profile],
          ['token expires', formatExpiry(token_expires_at, io.now())],
          ['token', token ?? undefined],
        ]),
    }),
    defineAgentCommand({
      path: ['tokens', 'revoke'],
      hasOwnQuestion: true,
      effect: 'irreversible',
      repeat: 'never',
      operations: ['revokeToken'],
      summary: 'revoke the token permanently; it cannot be recovered',
      description: 'The agent can never act again, and its handle stays taken. For a fresh token, use tokens rotate.',
      examples: ['agentp tokens revoke', 'agentp tokens revoke --profile alice --yes'],
      out: schema.objectOf({ revoked: schema.flag, profile: schema.text, handle: schema.text }),
      parse: (args) => args.flag('yes'),
      request: revoke,
      format: (page, { handle, profile }) =>
        formatCard(page, 'The token is revoked', [
          ['agent', handle],
          ['profile', `${profile} (keeps the keys, so that messages can still be opened)`],
        ]),
    }),
  ],
};

async function rotate({ io, profile, file, platform }: OpenedAgent, isTokenShown: boolean) {
  const { token_expires_at } = await awaitDespiteInterruption(io, 'the new token', () => platform.tokens.rotate());
  const { token } = await loadCredential(profile, file);
  return { profile, token_expires_at, ...(isTokenShown ? { token } : {}) };
}

async function revoke({ io, profile, credential, platform }: OpenedAgent, isConfirmed: boolean) {
  const { handle } = credential;
  if (!isConfirmed) await confirm(io, handle);
  await awaitDespiteInterruption(io, 'the result of the revocation', () => platform.tokens.revoke());
  return { revoked: true, profile, handle };
}

async function confirm(io: Io, handle: string): Promise<void> {
  writeQuestion(
    io,
    `This ends the access of "${toVisibleLine(handle)}" permanently: the token cannot be recovered, and the handle stays taken.\nType the handle to continue: `,
  );
  const typed = await io.stdin.readLine();
  if (typed?.trim() === handle) return;
  throw new UsageError('The token was not revoked.', `To revoke it, type the handle exactly: ${handle}`);
}
