import { freshDatabase } from '@agent-platform/testing';
import { sql } from 'kysely';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { type Installation, makeInstallation } from '../../../testing/installation.ts';
import { migrations } from '../../store/migrations/index.ts';

async function install(env: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const installation = makeInstallation({ DATABASE_URL: await freshDatabase(inject('postgresUrl')), ...env });
  onTestFinished(installation.stop);
  return installation;
}

describe('operator migrate', () => {
  it('brings the schema up to date where that is done by hand, and shows its progress', async () => {
    const { operator, start } = await install({ PLATFORM_MIGRATE: 'manual' });
    await expect(start()).rejects.toThrow(/lacks .*0001-baseline.*operator migrate/);
    const count = migrations.length;
    const done = await operator('migrate', '--reason', 'upgrade');

    expect(done).toMatchObject({ exitCode: 0, out: expect.stringContaining(`Applied ${count} migration(s)`) });
    expect(done.err).toMatch(new RegExp(`Migration 0001-baseline \\(1 of ${count}\\) took \\d`));
    expect(done.err.match(/ took /g)).toHaveLength(count);
    await start();
    expect(await operator('migrate', '--json')).toMatchObject({ exitCode: 0, out: '{\n  "applied": []\n}\n', err: '' });
    const { acts } = (await operator('audit', 'list', '--json')).json() as { readonly acts: readonly unknown[] };
    expect(acts).toMatchObject([{ command: 'migrate', reason: 'upgrade', details: { applied: { length: count } } }]);
  });
});

describe('an older version', () => {
  it.each(['on-start', 'manual'])(
    'neither starts nor operates on a newer schema, and says which version it needs: %s',
    async (mode) => {
      const { operator, start } = await install({ PLATFORM_MIGRATE: mode });
      await operator('migrate');
      const server = await start();
      await server.store.transact(async (writer) => {
        await sql`insert into migrations (name) values ('9999-later')`.execute(writer);
        await writer.updateTable('platform_facts').set({ value: '7.8.9' }).where('name', '=', 'version').execute();
      });
      await server.stop();
      const refusal = /This is version 0\.1\.0.*version 7\.8\.9.*9999-later.*Start version 7\.8\.9/;

      await expect(start()).rejects.toThrow(refusal);
      for (const command of [['agents', 'list'], ['migrate']])
        expect(await operator(...command)).toMatchObject({ exitCode: 1, err: expect.stringMatching(refusal) });
      expect((await operator('doctor')).out).toMatch(/fail {2}schema .*9999-later/);
    },
  );
});
