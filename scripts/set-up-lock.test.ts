import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLock } from './set-up-lock.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-platform-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const lockModule = new URL('./set-up-lock.mjs', import.meta.url).href;

/** Starts a process that acquires the lock and runs a script, which can use `lock`. */
function holderThat(does: string): ChildProcess {
  const text = `const { acquireLock } = await import('${lockModule}');
    const lock = await acquireLock(process.argv[1], () => {});
    ${does}`;
  return spawn(process.execPath, ['--input-type=module', '-e', text, join(folder, 'lock')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The child has no output.');
  const [chunk]: unknown[] = await once(child.stdout, 'data');
  return String(chunk).trim();
}

describe('the lock of the set-up', () => {
  it('admits one command at a time', async () => {
    const counter = join(folder, 'counter');
    writeFileSync(counter, '0');
    const addOne = `const fs = await import('node:fs');
      const seen = Number(fs.readFileSync('${counter}', 'utf8'));
      await new Promise((done) => setTimeout(done, 30));
      fs.writeFileSync('${counter}', String(seen + 1));
      lock.release();`;

    await Promise.all(Array.from({ length: 6 }, () => once(holderThat(addOne), 'exit')));

    expect(readFileSync(counter, 'utf8')).toBe('6');
  });

  it('passes to the next command when its holder is killed', async () => {
    const holder = holderThat("console.log('held'); setInterval(() => {}, 1000);");
    await firstLine(holder);
    let waited = false;
    const next = acquireLock(join(folder, 'lock'), () => {
      waited = true;
      holder.kill('SIGKILL');
    });

    (await next).release();

    expect(waited).toBe(true);
  });

  it('waits for the child that a killed holder left running', async () => {
    const holder = holderThat(`const { spawn } = await import('node:child_process');
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      lock.include(child.pid);
      console.log(child.pid);
      setInterval(() => {}, 1000);`);
    const child = Number(await firstLine(holder));
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    let waited = false;

    const lock = await acquireLock(join(folder, 'lock'), () => {
      waited = true;
      process.kill(child, 'SIGKILL');
    });
    lock.release();

    expect(waited).toBe(true);
  });

  it('causes no wait after it has been released', async () => {
    (await acquireLock(join(folder, 'lock'), () => {})).release();

    const lock = await acquireLock(join(folder, 'lock'), () => {
      throw new Error('There is nobody to wait for.');
    });
    lock.release();
  });
});
