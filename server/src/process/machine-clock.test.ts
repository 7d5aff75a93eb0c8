import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeInstallationsSharingDatabase, readPassportStatus, register } from '../../testing/installation.ts';
import { day, second } from '../platform/clock.ts';

let shared: Awaited<ReturnType<typeof makeInstallationsSharingDatabase>>;
beforeEach(async () => {
  shared = await makeInstallationsSharingDatabase();
});
afterEach(() => shared.remove());

let aheadMs = 0;
const machine = () => new Date(Date.now() + aheadMs);

describe('a server whose clock is 100 days ahead', () => {
  it('does not start, and changes nothing', async () => {
    aheadMs = 100 * day;

    await expect(shared.install({}, machine).start()).rejects.toThrow(/2400\.0 h ahead of the clock of the database/);
    aheadMs = -100 * day;
    await expect(shared.install({}, machine).start()).rejects.toThrow(/2400\.0 h behind the clock of the database/);
  });

  it('expires no token if the clock is set while it runs, and its operator removes nothing', async () => {
    aheadMs = 0;
    const installation = shared.install({}, machine);
    const { url } = await installation.start();
    const { token } = await register(url, 'alice');
    aheadMs = 100 * day;

    expect(await readPassportStatus(url, token)).toBe(200);
    const retention = await installation.operator('retention', 'run');
    expect(retention).toMatchObject({
      exitCode: 1,
      err: expect.stringMatching(/2400\.0 h ahead.*Nothing was removed/),
    });
    expect((await installation.operator('doctor')).out).toMatch(/warn {2}clock .*2400\.0 h ahead/);
    expect((await installation.operator('retention', 'run', '--now', '2026-01-01')).exitCode).toBe(0);
  });

  it('starts with a warning when it is less than a minute ahead', async () => {
    aheadMs = 50 * second;

    expect((await shared.install({}, machine).start()).logged()).toMatch(
      /"level":40.*\d\.\d s ahead.*expired content is not removed/,
    );
  });
});
