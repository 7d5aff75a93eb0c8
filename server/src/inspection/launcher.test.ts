import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findOwnLaunchers, readCommandLine } from '../../testing/process-facts.ts';
import { Launcher } from './launcher.ts';

let launcher: Launcher;
beforeEach(() => {
  launcher = new Launcher();
});
afterEach(async () => await launcher.close());

const launch = (script: string, ...words: string[]) =>
  launcher.launch({ script, words, env: { GIVEN: 'given' }, priority: 7 });

const waitForEnd = (pid: number) => vi.waitFor(() => expect(readCommandLine(pid)).toBe(''), 120_000);

describe('the launcher', () => {
  it('starts a script with its words, its environment and its priority, and reports how it ended', async () => {
    const { input, output, errorOutput, ended } = await launch(
      'read -r line; echo "$1 $GIVEN $line $HOME"; nice >&2; exit 3',
      'a word',
    );
    input.write('sent\n');

    expect(await Promise.all([text(output), text(errorOutput), ended])).toEqual([
      'a word given sent \n',
      expect.stringMatching(/^\d+\n$/),
      { how: '3', isLost: false },
    ]);
  });

  it('passes on every byte of programs that print immediately, and of many in parallel', async () => {
    const print = async (number: number) => {
      const { output, ended } = await launch('head -c 300000 /dev/zero | tr "\\0" "$1"', String(number % 10));
      const printed = await text(output);
      await ended;
      return printed === String(number % 10).repeat(300_000);
    };

    expect(await Promise.all(Array.from({ length: 20 }, (_, number) => print(number)))).toEqual(Array(20).fill(true));
    expect(findOwnLaunchers()).toHaveLength(1);
  });

  it('kills a program and its children', async () => {
    const { output, ended, end } = await launch('sleep 1000 & echo $!; sleep 1000');
    const [line] = await once(output.setEncoding('utf8'), 'data');
    end();

    expect(await ended).toEqual({ how: 'SIGKILL', isLost: false });
    await waitForEnd(Number(line));
    end();
  });

  it('is started again when it was ended, and its programs with it', async () => {
    const { pid, ended } = await launch('sleep 1000');
    const [own = 0] = findOwnLaunchers();
    process.kill(own, 'SIGKILL');

    expect(await ended).toEqual({ how: 'The inspector launcher ended with SIGKILL.', isLost: true });
    await waitForEnd(pid);
    expect(await (await launch('exit 4')).ended).toEqual({ how: '4', isLost: false });
  });

  it('ends its programs when it is closed, and starts none afterwards', async () => {
    const { pid, ended } = await launch('sleep 1000');
    await launcher.close();

    await ended;
    await waitForEnd(pid);
    expect(findOwnLaunchers()).toEqual([]);
    await expect(launch('exit 0')).rejects.toThrow('closed');
  });

  it('is killed if it is stopped', async () => {
    const { pid } = await launch('sleep 1000');
    for (const own of findOwnLaunchers()) process.kill(own, 'SIGSTOP');
    await launcher.close();

    await waitForEnd(pid);
    expect(findOwnLaunchers()).toEqual([]);
  });

  it('ends with a server that is killed, and its programs with it', async () => {
    const program = `
      const { pid } = await new Launcher().launch({ script: 'sleep 1000', words: [], env: {}, priority: 0 });
      console.log(pid);`;
    const pid = await killServer(program, 0);

    await waitForEnd(pid);
  });

  it.skipIf(process.platform !== 'linux')('does not outlive a server that is killed while it starts', async () => {
    const program = `
      void new Launcher().launch({ script: 'sleep 1000', words: [], env: {}, priority: 0 });
      console.log((await import('node:fs')).readFileSync('/proc/thread-self/children', 'utf8'));`;
    const launchers = await Promise.all([0, 20, 40, 60, 80, 120].map((delayMs) => killServer(program, delayMs)));

    for (const pid of launchers) {
      expect(pid).toBeGreaterThan(0);
      await waitForEnd(pid);
    }
  });
});

/** Kills a server `afterMs` after it has reported the id of a process, and returns the id. */
async function killServer(program: string, afterMs: number): Promise<number> {
  const module = JSON.stringify(new URL('launcher.ts', import.meta.url).href);
  const source = `const { Launcher } = await import(${module});${program}`;
  const server = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(server.stdout.setEncoding('utf8'), 'data');
  await wait(afterMs);
  server.kill('SIGKILL');
  return Number.parseInt(line, 10);
}
