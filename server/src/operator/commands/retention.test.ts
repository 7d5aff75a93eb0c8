import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Installation, type Instance, makeInstallation } from '../../../testing/installation.ts';

let installation: Installation;
let server: Instance;
beforeAll(async () => {
  installation = makeInstallation();
  server = await installation.start();
});
afterAll(() => installation.remove());

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
