import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { findFreePort } from './free-port.ts';
import { installProgram } from './install-program.ts';

/** A Redis server that stores its data in memory only. */
export type RedisServer = Awaited<ReturnType<typeof startRedis>>;

/** Installs Redis if it is missing and this process is root. Uses a free port by default. */
export async function startRedis(port?: number) {
  if (!installProgram('redis-server')) {
    throw new Error('These tests need the program redis-server. Install it, for example: apt-get install redis-server');
  }
  const at = port ?? (await findFreePort());
  const flags = ['--port', String(at), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--daemonize', 'no'];
  const child = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  await isReady(child);
  return {
    url: `redis://127.0.0.1:${at}`,
    /** Accepts the syntax of redis-cli, and returns the first line of the raw response. */
    command: (line: string) => runCommand(at, line),
    /** Suspends the server; connections stay open and the kernel accepts new ones. */
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    /** Kills the server, as a crash would. */
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function runCommand(port: number, line: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${line}\r\n`);
  const [answer]: Buffer[] = await once(socket, 'data');
  socket.destroy();
  return String(answer).split('\r\n')[0] ?? '';
}

async function isReady(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Ready to accept connections')) resolve();
    });
    child.once('exit', () => reject(new Error(`Redis did not start:\n${output}`)));
  });
}
