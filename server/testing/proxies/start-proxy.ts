import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from '@agent-platform/testing';
import { makeCertificate } from './certificate.ts';
import { type ProxyKind, proxyPrograms, readProxyFile } from './proxy-files.ts';

export type RunningProxy = Awaited<ReturnType<typeof startProxy>>;

export function isProgramInstalled(program: string): boolean {
  return spawnSync(program, [program === 'nginx' || program === 'haproxy' ? '-v' : 'version']).status === 0;
}

/** Uses the configuration file from `deploy/` and a self-signed certificate; resolves when the proxy is ready. */
export async function startProxy(kind: ProxyKind, urls: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), `${kind}-`));
  // The workers of nginx run as another user and store large bodies in this folder.
  chmodSync(folder, 0o711);
  const certificate = makeCertificate(folder);
  const [httpPort, httpsPort, sparePort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const servers = urls.map((url) => new URL(url).host);
  const logFile = join(folder, 'agents.log');
  const file = join(folder, proxyPrograms[kind].file);
  writeFileSync(file, readProxyFile(kind, { folder, httpPort, httpsPort, sparePort, certificate, servers }));
  // Caddy stores its state in the user's home folder.
  const home = join(folder, 'home');
  mkdirSync(home);
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home };
  const child = spawn(kind, proxyPrograms[kind].args(file), { env, stdio: ['ignore', 'pipe', 'pipe'] });
  process.once('exit', () => child.kill('SIGKILL'));
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const url = `https://localhost:${httpsPort}`;
  while (!(await isReady(url, certificate.ca))) {
    if (child.exitCode !== null) throw new Error(`${kind} ended with ${child.exitCode}:\n${log}`);
    await wait(20);
  }
  return {
    name: proxyPrograms[kind].name,
    url,
    httpUrl: `http://localhost:${httpPort}`,
    /** The certificate that clients trust. */
    ca: certificate.ca,
    /** nginx writes its log to a file, the other proxies to their output. */
    log: () => log + (existsSync(logFile) ? readFileSync(logFile, 'utf8') : ''),
    stop: async () => {
      // The nginx master stops its workers only on this signal.
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function isReady(url: string, ca: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const request = get(`${url}/health/ready`, { ca, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}
