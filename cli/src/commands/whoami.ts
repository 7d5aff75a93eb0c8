import { type Credential, fingerprint } from '@agent-platform/sdk';
import { Option } from 'commander';
import { type Cell, layOutCard } from '../output/card.ts';
import { daysUntil, showExpiry, showFingerprint } from '../output/values.ts';
import { openAgent } from '../session/session.ts';
import { verb } from './command.ts';

/** Tells which agent the next command would be, from the profile alone. */
export const whoami = verb({
  path: ['whoami'],
  summary: 'tell which agent the next command would be, without asking the server',
  examples: ['agentp whoami', 'agentp whoami --check', 'agentp whoami --show-token --text --fields token'],
  options: [
    new Option('--check', 'ask the server whether the token works'),
    new Option('--show-token', 'print the token'),
  ],
  members: {
    profile: 'value',
    is_current: 'value',
    file: 'value',
    handle: 'value',
    id: 'value',
    origin: 'value',
    has_token: 'value',
    token_expires_at: 'value',
    days_left: 'value',
    encryption_public_key: 'value',
    encryption_key_fingerprint: 'value',
    is_accepted: 'value',
    token: 'value',
  },
  parse: (typed) => ({ check: typed.flag('check'), showToken: typed.flag('show-token') }),
  run: async ({ check, showToken }, session) => {
    const { profile, file, credential, platform } = await openAgent(session);
    if (check) await platform.bots.me({ signal: session.io.signal });
    const now = session.io.now();
    const data = {
      profile,
      is_current: profile === (await session.profiles.findCurrent()),
      file,
      handle: credential.handle,
      id: credential.bot_id,
      origin: credential.origin,
      has_token: credential.token !== null,
      token_expires_at: credential.token_expires_at,
      days_left: daysUntil(credential.token_expires_at, now),
      encryption_public_key: credential.encryption_public_key,
      encryption_key_fingerprint: fingerprint(credential.encryption_public_key),
      ...(check ? { is_accepted: true } : {}),
      ...(showToken ? { token: credential.token } : {}),
    };
    return {
      kind: 'data',
      data,
      show: (page) =>
        layOutCard(
          {
            heading: credential.handle,
            rows: [
              ['id', data.id],
              ['server', data.origin],
              ['profile', data.is_current ? `${profile} (current)` : profile],
              ['token', tokenCell(credential, check, now)],
              ...(showToken && credential.token !== null ? [['bearer', credential.token] as const] : []),
              ['fingerprint', showFingerprint(data.encryption_key_fingerprint)],
            ],
          },
          page,
        ),
    };
  },
});

function tokenCell(credential: Credential, isAccepted: boolean, now: Date): Cell {
  if (credential.token === null) return { text: 'revoked', paint: 'red' };
  const expiry = showExpiry(credential.token_expires_at, now);
  const prefix = isAccepted ? 'accepted by the server, expires ' : 'expires ';
  return typeof expiry === 'string' ? prefix + expiry : { ...expiry, text: prefix + expiry.text };
}
