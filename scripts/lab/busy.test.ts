import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const lab = fileURLToPath(new URL('busy.ts', import.meta.url));
// Lists the lab's children: the load and this shell.
const listChildren = 'ps -o pid= --ppid $PPID; exit 7';

it('loads the machine while a command runs, exits with its code and leaves no process behind', async () => {
  const run = promisify(execFile)(process.execPath, [lab, '5', 'sh', '-c', listChildren]);
  const { code, stdout } = await run.catch((error: unknown) => Object(error));
  const children = String(stdout).trim().split(/\s+/).map(Number);

  expect(code).toBe(7);
  expect(children).toHaveLength(7);
  for (const child of children) expect(() => process.kill(child, 0)).toThrow('ESRCH');
});
