import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inheritedEnvironment } from '@agent-platform/testing';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('../bin.ts', import.meta.url));
// Prints the limit and the process id at the start; the invalid setting then ends the program.
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

it('limits the heap of the server and its part for new objects, in the same process', () => {
  const { status, stderr, limits, pids } = startWith('');

  expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('PORT') });
  expect(stderr).not.toContain('Warning');
  // V8 adds three times the semi-space limit of 16 MiB for new objects; its default limit would add 192 MiB.
  expect(limits.at(-1)).toBe(1_024 + 48);
  expect(new Set(pids).size).toBe(1);
});

it('keeps a given limit', () => {
  expect(startWith('--max-old-space-size=1500').limits.at(-1)).toBe(1_500 + 48);
  expect(startWith('--max-old-space-size=1500 --max-semi-space-size=32').limits).toEqual([1_500 + 96]);
});
