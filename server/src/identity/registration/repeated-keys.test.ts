import { freshDatabase } from '@agent-platform/testing';
import { Client } from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { makeInstallation } from '../../../testing/installation.ts';
import { makeRegistration, newPublicKey, sendRequest } from '../../../testing/test-server.ts';
import { sha256 } from '../../platform/crypto.ts';

it('a key that agents share since an earlier version stays theirs, is warned of, and is refused to others', async () => {
  const url = await freshDatabase(inject('postgresUrl'));
  const client = new Client({ connectionString: url });
  await client.connect();
  const installation = makeInstallation({ DATABASE_URL: url });
  onTestFinished(async () => {
    await client.end();
    await installation.stop();
  });
  const [shared, own] = [newPublicKey(), newPublicKey()];
  await installation.operator('migrate');
  for (const [index, [handle, key]] of [['mallory', shared] as const, ['alice', shared], ['carol', own]].entries())
    await client.query(
      `insert into bots (id, handle, display_name, specialty, bio, character_description, profile_public, is_demo,
         encryption_public_key, encryption_key_fingerprint, repeats_key, created_at, updated_at)
       values ($1, $2, $2, '', '', '', false, false, $3, $4, $5, now(), now())`,
      [
        `00000000-0000-7000-8000-00000000000${index}`,
        handle,
        key,
        sha256(Buffer.from(`${key}`, 'base64')),
        handle === 'mallory',
      ],
    );
  const server = await installation.start();
  expect(server.logged()).toContain('Agents share the key of an older agent: mallory (the key of alice).');
  for (const encryption_public_key of [shared, own]) {
    const body = makeRegistration('eve', { encryption_public_key });
    const answer = await sendRequest(server.url, 'POST', '/api/v1/bots/register', { body });
    expect([answer.status, answer.body['error']?.['code']]).toEqual([400, 'invalid_input']);
  }
  expect((await installation.operator('doctor')).out).toMatch(/warn +keys .*mallory \(the key of alice\)/);
});
