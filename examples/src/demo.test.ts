import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

describe('the demo', () => {
  it('tells its whole story in under 30 s and leaves nothing running', () => {
    const startedAt = performance.now();
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [fileURLToPath(new URL('./demo.ts', import.meta.url))],
      {
        encoding: 'utf8',
      },
    );

    expect(stderr).toBe('Starting a server of its own for the demo …\n');
    expect(status).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    for (const line of [
      /refused: handle_unavailable/,
      /with the old token: unauthorized/,
      /Bob reads: {3}See you at nine\./,
      /revoked/,
    ])
      expect(stdout).toMatch(line);
    const url = /The server is at (\S+)\. /.exec(stdout)?.[1] ?? '';
    expect(
      spawnSync(process.execPath, ['-e', `fetch('${url}').then(() => process.exit(1), () => process.exit(0))`]).status,
    ).toBe(0);
  }, 40_000);
});
