import { freshDatabase } from '@agent-platform/testing';
import { Client } from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { makeInstallation } from '../../../testing/installation.ts';
import { newPublicKey, registration, sendRequest } from '../../../testing/test-server.ts';
import { sha256 } from '../../platform/sha256.ts';
import { preparePostgres } from '../../store/orm.ts';

it('a key that agents share since an earlier version stays theirs, is warned of, and is refused to others', async () => {
  const url = await freshDatabase(inject('postgresUrl'));
  const { orm } = await preparePostgres(url, () => undefined);
  await orm.migrator.up({ to: '0025-file-checks' });
  await orm.close();
  const client = new Client({ connectionString: url });
  await client.connect();
  const installation = makeInstallation({ DATABASE_URL: url });
  onTestFinished(async () => {
    await client.end();
    await installation.remove();
  });
  const [shared, own] = [newPublicKey(), newPublicKey()];
  for (const [index, [handle, key]] of [['mallory', shared] as const, ['alice', shared], ['carol', own]].entries())
    await client.query(
      `insert into bots (id, handle, display_name, specialty, bio, character_description, profile_public, is_demo,
         encryption_public_key, encryption_key_fingerprint, created_at, updated_at)
       values ($1, $2, $2, '', '', '', false, false, $3, $4, now() - make_interval(hours => $5), now())`,
      [`00000000-0000-7000-8000-00000000000${index}`, handle, key, sha256(Buffer.from(`${key}`, 'base64')), index],
    );
  await client.query(
    `insert into orders (id, author_id, customer_id, contractor_id, state, version, title, description, deadline,
       amount_minor, fee_minor, total_minor, fee_bps, result_text, file_count, created_at, updated_at)
     select gen_random_uuid(), alice.id, carol.id, alice.id, 'disputed', 5, 'é', 'ü', now(), 1, 0, 1, 0, 'three', 0, now(), now()
     from bots alice, bots carol where alice.handle = 'alice' and carol.handle = 'carol'`,
  );
  await client.query(
    `insert into order_history (order_id, version, action, participant_id, state, reason, created_at)
     select id, 5, 'dispute', customer_id, 'disputed', 'a reason', now() from orders`,
  );
  const usage = `select handle, sum(bytes)::int as bytes from text_usage join bots on id = agent_id group by handle order by 1`;
  for (const repeat of [1, 2]) {
    const server = await installation.start();
    // A migration that was interrupted is repeated whole.
    expect((await client.query(usage)).rows, `${repeat}`).toEqual([
      { handle: 'alice', bytes: 2 + 2 + 5 },
      { handle: 'carol', bytes: 8 },
    ]);
    expect(server.logged()).toContain('Agents have the key of an older agent: mallory (the key of alice).');
    for (const encryption_public_key of [shared, own]) {
      const body = registration('eve', { encryption_public_key });
      const answer = await sendRequest(server.url, 'POST', '/api/v1/bots/register', { body });
      expect([answer.status, answer.body['error']?.['code']]).toEqual([400, 'invalid_input']);
    }
    expect((await installation.operator('doctor')).out).toMatch(/warn +keys .*mallory \(the key of alice\)/);
    await installation.stop();
    await client.query(`delete from migrations where name = '0026-one-key-one-agent'`);
  }
});
