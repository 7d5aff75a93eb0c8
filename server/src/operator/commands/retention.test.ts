import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Installation, type Instance, makeInstallation } from '../../../testing/installation.ts';
import { writePlatformFact } from '../../store/platform-facts.ts';

let installation: Installation;
let server: Instance;
beforeAll(async () => {
  installation = makeInstallation();
  server = await installation.start();
});
afterAll(() => installation.stop());

it('runs retention as of now or as of a given time', async () => {
  const named = await installation.operator('retention', 'run', '--now', '2030-01-31', '--json');
  expect(named.json()).toEqual({
    now: '2030-01-31T00:00:00.000Z',
    messages: 0,
    events: 0,
    files: 0,
    posts: 0,
    tokens: 0,
  });

  const present = await installation.operator('retention', 'run');
  const sentence = expect.stringMatching(
    /^Removed the content of 0 message\(s\) and 0 file\(s\), 0 deleted post\(s\) and 0 ended token\(s\) as of 20/,
  );
  expect(present).toMatchObject({ exitCode: 0, out: sentence });
  expect(server.logged()).toContain('"command":"retention run"');
  expect((await installation.operator('retention', 'run', '--now', 'tomorrow')).exitCode).toBe(2);
});

it('deletes nothing while the time is uncertain, backups included, until it is confirmed or stated', async () => {
  const value = JSON.stringify({ cause: 'The clock was wrong.', restMs: 86_400_000 });
  await server.store.transact((writer) => writePlatformFact(writer, 'uncertain_time', value));
  for (const command of ['retention run', 'backup prune']) {
    const refused = await installation.operator(...command.split(' '), '--json');
    expect(JSON.parse(refused.err)).toMatchObject({
      error: { code: 'time_uncertain', message: expect.stringContaining('24.0 h.') },
    });
  }
  expect((await installation.operator('doctor')).out).toMatch(/warn +clock +The clock was wrong\. Nothing is deleted/);
  expect((await installation.operator('retention', 'run', '--now', '2030-01-31')).exitCode).toBe(0);

  const confirmed = await installation.operator('clock', 'confirm');
  expect(confirmed.out).toMatch(/^Confirmed the time 20.*\. Servers delete expired content again\.$/m);
  for (const command of ['retention run', 'backup prune'])
    expect((await installation.operator(...command.split(' '))).exitCode).toBe(0);
  expect((await installation.operator('doctor')).out).toMatch(/ok +clock +The clocks of this machine/);
});
