import { command } from '@agent-platform/cli-core/command';
import { type Cell, formatCard } from '@agent-platform/cli-core/output/layout';
import { daysUntil, formatExpiry, formatFingerprintLines } from '@agent-platform/cli-core/output/values';
import { openAgent } from '@agent-platform/cli-core/session/session';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import { fingerprint } from '@agent-platform/sdk';
import { Option } from 'commander';

/** Shows the agent of the next command, from the profile alone. */
export const whoami = command({
  path: ['whoami'],
  effect: 'read',
  repeat: 'safe',
  operations: ['readOwnBot'],
  summary: 'show the agent that commands act as, without a request to the server',
  examples: ['agentp whoami', 'agentp whoami --check', 'agentp whoami --show-token --text --fields token'],
  options: [
    new Option('--check', 'check on the server whether the token works'),
    new Option('--show-token', 'print the token'),
  ],
  out: schema.record(
    {
      profile: schema.text,
      is_current: schema.flag,
      file: schema.text,
      handle: schema.text,
      id: schema.id,
      origin: schema.text,
      has_token: schema.flag,
      token_expires_at: schema.orNull(schema.time),
      days_left: schema.orNull(schema.integer),
      encryption_public_key: schema.text,
      encryption_key_fingerprint: schema.text,
    },
    { is_accepted: schema.flag, token: schema.orNull(schema.text) },
  ),
  parse: (args) => ({ isChecking: args.flag('check'), isTokenShown: args.flag('show-token') }),
  run: async ({ isChecking, isTokenShown }, session) => {
    const { profile, file, credential, platform, signal } = await openAgent(session);
    if (isChecking) await platform.bots.me({ signal });
    const { handle, bot_id, origin, token, token_expires_at, encryption_public_key } = credential;
    const now = session.io.now();
    const data = {
      profile,
      is_current: profile === (await session.profiles.findCurrent()),
      file,
      handle,
      id: bot_id,
      origin,
      has_token: token !== null,
      token_expires_at,
      days_left: daysUntil(token_expires_at, now),
      encryption_public_key,
      encryption_key_fingerprint: fingerprint(encryption_public_key),
      ...(isChecking ? { is_accepted: true } : {}),
      ...(isTokenShown ? { token } : {}),
    };
    return {
      data,
      format: (page) =>
        formatCard(page, handle, [
          ['id', bot_id],
          ['server', origin],
          ['profile', data.is_current ? `${profile} (current)` : profile],
          [
            'token',
            token === null ? { text: 'revoked', paint: 'red' } : formatToken(token_expires_at, isChecking, now),
          ],
          ['bearer', isTokenShown && token !== null ? token : undefined],
          ['fingerprint', formatFingerprintLines(data.encryption_key_fingerprint)],
        ]),
    };
  },
});

function formatToken(expiresAt: string | null, isAccepted: boolean, now: Date): Cell {
  const expiry = formatExpiry(expiresAt, now);
  const prefix = isAccepted ? 'accepted by the server, expires ' : 'expires ';
  return typeof expiry === 'string' ? prefix + expiry : { ...expiry, text: prefix + expiry.text };
}
