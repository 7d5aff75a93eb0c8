import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { describe, expect, it } from 'vitest';
import { FolderLockError, lockFolder } from './folder-lock.ts';

const folder = makeTestFolder();

const source = new URL('./folder-lock.ts', import.meta.url).href;

async function startHolder() {
  const script = `const { lockFolder } = await import(${JSON.stringify(source)}); await lockFolder(${JSON.stringify(folder)}, 0); console.log('held'); setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  return holder;
}

describe('the lock of a folder', () => {
  it('admits one holder, and the next one once the first releases it', async () => {
    const lock = await lockFolder(folder, 0);

    await expect(lockFolder(folder, 0)).rejects.toThrow(FolderLockError);
    const waiting = lockFolder(folder, 5_000);
    lock.release();
    (await waiting).release();
  });

  it('excludes another process, and is released by kill -9', async () => {
    const holder = await startHolder();
    await expect(lockFolder(folder, 300)).rejects.toThrow(/in use by another process/);

    holder.kill('SIGKILL');
    await once(holder, 'exit');
    (await lockFolder(folder, 0)).release();
  });
});
