import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from '@agent-platform/testing';
import { startStandIn } from './stand-in-balancer.ts';

/** A load balancer in front of several servers. */
export interface Balancer {
  /** The program that balances. */
  readonly name: string;
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts HAProxy in front of servers where it is installed, else a stand-in. */
export async function startBalancer(servers: readonly string[]): Promise<Balancer> {
  const version = spawnSync('haproxy', ['-v'], { encoding: 'utf8' });
  return version.status === 0 ? await startHaproxy(servers) : await startStandIn(servers);
}

// The directives of the example in docs/operating.md, with a shorter interval.
const configuration = (port: number, servers: readonly string[]) => `
defaults
  mode http
  timeout connect 2s
  timeout client 130s
  timeout server 130s
  timeout tunnel 1h
  timeout check 2s
  option redispatch

frontend agents
  bind 127.0.0.1:${port}
  default_backend servers

backend servers
  option httpchk GET /health/ready
  default-server check inter 200ms fall 2 rise 2
${servers.map((url, index) => `  server s${index} ${new URL(url).host}`).join('\n')}
`;

async function startHaproxy(servers: readonly string[]): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), 'haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  const port = await findFreePort();
  writeFileSync(file, configuration(port, servers));
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(`HAProxy ended with ${child.exitCode}:\n${output}`);
    await wait(20);
  }
  return {
    name: 'HAProxy',
    url,
    stop: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  return await fetch(`${url}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}
