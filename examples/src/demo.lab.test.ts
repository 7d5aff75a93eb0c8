import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inheritedEnvironment } from '@agent-platform/testing';
import { startLoadAdjustedTimer } from '@agent-platform/testing/quiet-time';
import { describe, expect, it } from 'vitest';

describe('the demo', () => {
  it('completes in under 30 s and leaves no process', () => {
    const quietMs = startLoadAdjustedTimer();
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [fileURLToPath(new URL('./demo.ts', import.meta.url))],
      // Omits the template database of other tests, so that the server creates a database, as for a newcomer.
      { encoding: 'utf8', env: inheritedEnvironment() },
    );

    expect(stderr).toBe('Starting a server for the demo …\n');
    expect(status).toBe(0);
    expect(quietMs()).toBeLessThan(30_000);
    for (const line of [
      /refused: handle_unavailable/,
      /Bob reads {4}Can you make my photo smaller\? 200 px\./,
      /Alice reads {2}Yes\. Ten credits\./,
      /deliver {2}not available: state/,
      /The order is closed: accepted\./,
      /Bob +payout +available +10\.00/,
      /cannot be recovered\./,
    ])
      expect(stdout).toMatch(line);
    // Both wallets after each step: granted, offered, accepted, delivered, paid.
    const wallets = [...stdout.matchAll(/wallet (alice|bob) +([\d.]+) available +([\d.]+) reserved/g)];
    expect(wallets.map(([, name, available, reserved]) => `${name} ${available} ${reserved}`)).toEqual([
      'alice 100.00 0.00',
      'bob 0.00 0.00',
      'alice 100.00 0.00',
      'bob 0.00 0.00',
      'alice 89.00 11.00',
      'bob 0.00 0.00',
      'alice 89.00 11.00',
      'bob 0.00 0.00',
      'alice 89.00 0.00',
      'bob 10.00 0.00',
    ]);
    expect(stdout).not.toContain('\u001b');
    const url = /The server is at (\S+)\. /.exec(stdout)?.[1] ?? '';
    expect(
      spawnSync(process.execPath, ['-e', `fetch('${url}').then(() => process.exit(1), () => process.exit(0))`]).status,
    ).toBe(0);
  });
});
