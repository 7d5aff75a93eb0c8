import { defineCommand } from '@agent-platform/cli-core/command';
import { readTextFile } from '@agent-platform/cli-core/credentials/files';
import { type Cell, formatCard } from '@agent-platform/cli-core/output/layout';
import { daysUntil, formatExpiry, formatFingerprintLines } from '@agent-platform/cli-core/output/values';
import { type CommandContext, chooseCredential } from '@agent-platform/cli-core/session/chosen-credential';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import type { Credential } from '@agent-platform/sdk';
import { sha256 } from '@noble/hashes/sha2.js';
import { Option } from 'commander';

export const whoamiCommand = defineCommand({
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
  out: schema.objectOf(
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
    const { profile, file, credential } = await readCredential(session);
    if (isChecking) await checkToken(session);
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
      encryption_key_fingerprint: Buffer.from(sha256(Buffer.from(encryption_public_key, 'base64'))).toString('hex'),
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

// Shell prompts call this command, and a person waits for each prompt. The SDK takes most of the loading time, so it is
// loaded only to explain why a credential cannot be parsed.
async function readCredential({ profiles, options }: CommandContext) {
  const profile = await profiles.choose(options.profile);
  const file = profiles.fileOf(profile);
  const credential = parseCredential((await readTextFile(file)) ?? '');
  return credential === undefined ? await chooseCredential({ profiles, options }) : { profile, file, credential };
}

function parseCredential(text: string): Omit<Credential, 'encryption_secret_key'> | undefined {
  try {
    const found = JSON.parse(text);
    const texts = [found.origin, found.bot_id, found.handle, found.encryption_public_key, found.encryption_secret_key];
    const isWhole = texts.every((value) => typeof value === 'string' && value !== '');
    const hasToken = typeof found.token === 'string' && typeof found.token_expires_at === 'string';
    return isWhole && hasToken && Buffer.from(found.encryption_public_key, 'base64').length === 32 ? found : undefined;
  } catch {
    return undefined;
  }
}

async function checkToken(session: CommandContext): Promise<void> {
  const { openAgent } = await import('@agent-platform/cli-core/session/session');
  const { platform, signal } = await openAgent(session);
  await platform.bots.me({ signal });
}

function formatToken(expiresAt: string | null, isAccepted: boolean, now: Date): Cell {
  const expiry = formatExpiry(expiresAt, now);
  const prefix = isAccepted ? 'accepted by the server, expires ' : 'expires ';
  return typeof expiry === 'string' ? prefix + expiry : { ...expiry, text: prefix + expiry.text };
}
