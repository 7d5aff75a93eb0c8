import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inheritedEnvironment } from '@agent-platform/testing';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('../agent-platform-server.ts', import.meta.url));
// Prints the limit and the process when the program starts; a wrong setting ends it then.
const print = `process.stdout.write(process.getBuiltinModule('v8').getHeapStatistics().heap_size_limit + ' ' + process.pid + '\\n')`;
const preload = `--import=data:text/javascript,${encodeURIComponent(print)}`;

function startWith(options: string) {
  const env = { ...inheritedEnvironment(), PORT: 'none', NODE_OPTIONS: `${preload} ${options}` };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { env, encoding: 'utf8' });
  const starts = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number));
  return { status, stderr, limits: starts.map(([bytes = 0]) => bytes / 2 ** 20), pids: starts.map(([, pid]) => pid) };
}

it('limits the heap of the server, in the same process', () => {
  const { status, stderr, limits, pids } = startWith('');

  expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('PORT') });
  expect(stderr).not.toContain('Warning');
  expect(limits.at(-1)).toBeLessThan(1_300);
  expect(new Set(pids).size).toBe(1);
});

it('leaves a limit that is given as it is', () => {
  const { limits } = startWith('--max-old-space-size=1500');

  expect(limits).toHaveLength(1);
  expect(limits[0]).toBeGreaterThan(1_400);
});
