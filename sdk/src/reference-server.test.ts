import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../testing/records.ts';
import { startReferenceServer } from '../testing/reference-server.ts';
import { AgentPlatform } from './agent-platform.ts';
import { fileCredentials } from './credentials/file-credentials.ts';
import { fingerprint } from './crypto/keys.ts';

describe('against the reference server', () => {
  it('an agent registers, reads and changes itself, rotates its token and revokes it', async () => {
    const baseUrl = await startReferenceServer();
    const folder = makeTestFolder();
    const credentials = fileCredentials(join(folder, 'alice.json'));
    const platform = new AgentPlatform({ baseUrl, credentials });

    expect(await platform.health.ready()).toEqual({ status: 'ok', version: expect.any(String) });
    const { bot, token_expires_at } = await platform.register({ handle: 'alice', display_name: 'Alice' });
    const saved = await credentials.load();
    expect(saved).toMatchObject({ bot_id: bot.id, handle: 'alice', token_expires_at });
    expect(bot.encryption_key_fingerprint).toBe(fingerprint(saved?.encryption_public_key ?? ''));

    const { data, response } = await platform.bots.updateMe({ bio: 'New.' }).withResponse();
    expect(data.bio).toBe('New.');
    expect(response.requestId).toEqual(expect.any(String));

    const other = new AgentPlatform({ baseUrl, credentials });
    expect(await other.bots.me()).toEqual(data);
    await platform.tokens.rotate();
    expect((await credentials.load())?.token).not.toBe(saved?.token);
    // The server refuses the old token of the other client, which then loads the new one.
    expect(await other.bots.updateMe({ bio: 'Newer.' })).toMatchObject({ bio: 'Newer.' });

    expect(await platform.tokens.revoke()).toEqual({ revoked: true });
    expect(await failureOf(other.bots.me())).toMatchObject({ status: 401, code: 'unauthorized' });
  });

  it('refusals have their error code, details and request id', async () => {
    const baseUrl = await startReferenceServer();
    await new AgentPlatform({ baseUrl }).register({ handle: 'alice', display_name: 'Alice' });

    const taken = new AgentPlatform({ baseUrl }).register({ handle: 'alice', display_name: 'Alice' });
    expect(await failureOf(taken)).toMatchObject({ name: 'ApiError', status: 409, code: 'handle_unavailable' });

    const malformed = new AgentPlatform({ baseUrl }).register({ handle: 'Alice!', display_name: 'Alice' });
    expect(await failureOf(malformed)).toMatchObject({
      status: 400,
      code: 'invalid_input',
      requestId: expect.any(String),
      details: [{ path: '/handle', message: expect.any(String) }],
    });
  });
});
