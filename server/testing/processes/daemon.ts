import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { UnixUser } from '@agent-platform/testing';

export type Daemon = ReturnType<typeof startDaemon>;

/** Starts a program that listens on a port, as the user `owner` if there is one. */
export function startDaemon(program: string, args: readonly string[], port: number, owner?: UnixUser) {
  const child = spawn(program, args, { ...owner, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = `${output}${chunk.toString()}`.slice(-20_000);
    });
  }
  process.once('exit', () => child.kill('SIGKILL'));
  return {
    ready: async () => {
      while (!(await answers(port))) {
        if (hasEnded(child)) throw new Error(`${program} did not start:\n${output}`);
        await wait(20);
      }
    },
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    stop: async () => {
      if (hasEnded(child)) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return await promise.finally(() => socket.destroy());
}
