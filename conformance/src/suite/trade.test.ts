import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFaultyBuild } from '../../testing/faulty-build.ts';
import { type ReferenceServer, startReferenceServer, unlimitedSettings } from '../../testing/reference-server.ts';
import { runCommand } from '../run-command.ts';

let clean: ReferenceServer;
let folder: string;

beforeAll(async () => {
  clean = await startReferenceServer(unlimitedSettings);
  folder = mkdtempSync(join(tmpdir(), 'conformance-trade-'));
});

afterAll(async () => {
  await clean.stop();
  rmSync(folder, { recursive: true });
});

interface Told {
  readonly checks: readonly { readonly id: string; readonly verdict: string }[];
  readonly requirements: readonly { readonly id: string; readonly verdict: string; readonly reason: string }[];
}

async function judgeTrade(baseUrl: string, ...args: readonly string[]) {
  const file = join(folder, 'trade.json');
  let out = '';
  const output = { out: (text: string) => (out += text), err: (text: string) => (out += text) };
  const exitCode = await runCommand(
    [...['--base-url', baseUrl, '--no-pace', '--only', 'AP-WALLET,AP-ORDER'], ...['--report', `json=${file}`, ...args]],
    output,
  );
  // The cast is safe: this suite wrote the report, and other tests validate it against the schema.
  return { exitCode, out, report: JSON.parse(readFileSync(file, 'utf8')) as Told };
}

describe('credits and orders', () => {
  it('exit with 3 without a grant command: the rest is judged, and the report names the untested ones', async () => {
    const { exitCode, out, report } = await judgeTrade(clean.url);

    expect(exitCode).toBe(3);
    expect(out).not.toContain('FAILED');
    const passed = report.checks.filter(({ verdict }) => verdict === 'passed').map(({ id }) => id);
    expect(passed).toEqual(
      expect.arrayContaining(['quote.price', 'wallet.fields', 'offers.made', 'orders.uncovered', 'races.offers']),
    );
    const untested = report.requirements.filter(({ verdict }) => verdict === 'not tested');
    expect(untested.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['AP-WALLET-007', 'AP-ORDER-054', 'AP-ORDER-055', 'AP-ORDER-057', 'AP-ORDER-077']),
    );
    for (const { reason } of untested) expect(reason).toContain('no --grant-command was given');
    // The console report names only the first six of these requirements, the JSON report all of them.
    expect(out).toContain(`and ${untested.length - 6} more`);
    expect(out).toMatch(/skipped without --grant-command: .*orders\.lifecycle-to-payment/);
  });

  it.each([333])('pass with a commission other than the default: %d basis points', async (feeBps) => {
    const server = await startFaultyBuild(clean, { settings: { PLATFORM_FEE_BPS: String(feeBps) } });
    try {
      const { exitCode, report } = await judgeTrade(server.url, '--grant-command', clean.means.hooks.grant);

      const verdicts = report.checks.filter(({ verdict }) => !['passed', 'not judged'].includes(verdict));
      expect(verdicts).toEqual([]);
      expect(exitCode).toBe(0);
    } finally {
      await server.close();
    }
  });
});
