import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@agent-platform/testing';
import { startDaemon } from '../processes/daemon.ts';
import type { StartedS3 } from './started-s3.ts';

const user = 'tests:a-key-of-swift';
const secret = 'swift-secret-key-of-the-tests';

/**
 * Starts OpenStack Swift with its S3 API, one device and one replica. Requires the Debian packages swift-proxy,
 * swift-account, swift-container and swift-object.
 */
export async function startSwift(): Promise<StartedS3> {
  const folder = mkdtempSync(join(tmpdir(), 'swift-'));
  const device = join(folder, 'devices', 'd1');
  mkdirSync(device, { recursive: true });
  write(folder, 'swift.conf', ['[swift-hash]', 'swift_hash_path_suffix = tests']);
  const daemons = [];
  for (const kind of ['account', 'container', 'object'] as const) {
    const port = await findFreePort();
    makeRing(folder, kind, port);
    write(folder, `${kind}.conf`, [
      ...common(folder, port),
      `devices = ${join(folder, 'devices')}`,
      'mount_check = false',
      '[pipeline:main]',
      `pipeline = ${kind}-server`,
      `[app:${kind}-server]`,
      `use = egg:swift#${kind}`,
    ]);
    daemons.push(startDaemon(`swift-${kind}-server`, [join(folder, `${kind}.conf`)], port));
  }
  const port = await findFreePort();
  write(folder, 'proxy.conf', [...common(folder, port), ...proxyLines]);
  const proxy = startDaemon('swift-proxy-server', [join(folder, 'proxy.conf')], port);
  const all = [...daemons, proxy];
  for (const daemon of all) await daemon.ready();
  const remove = async () => {
    for (const daemon of all) await daemon.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { port, accessKeyId: user, secretAccessKey: secret, main: proxy, remove };
}

const proxyLines = [
  'account_autocreate = true',
  '[pipeline:main]',
  'pipeline = catch_errors cache listing_formats s3api tempauth slo dlo proxy-server',
  '[app:proxy-server]',
  'use = egg:swift#proxy',
  'account_autocreate = true',
  // Swift requires a cache but only uses it for tokens, which S3 requests do not contain.
  '[filter:cache]',
  'use = egg:swift#memcache',
  'memcache_servers = 127.0.0.1:1',
  '[filter:tempauth]',
  'use = egg:swift#tempauth',
  `user_${user.replace(':', '_')} = ${secret} .admin`,
  ...['catch_errors', 'listing_formats', 's3api', 'slo', 'dlo'].flatMap((name) => [
    `[filter:${name}]`,
    `use = egg:swift#${name}`,
  ]),
];

function common(folder: string, port: number): readonly string[] {
  return [
    '[DEFAULT]',
    'bind_ip = 127.0.0.1',
    `bind_port = ${port}`,
    'workers = 0',
    'user = root',
    `swift_dir = ${folder}`,
  ];
}

function makeRing(folder: string, kind: string, port: number): void {
  const builder = join(folder, `${kind}.builder`);
  const run = (...words: readonly string[]) =>
    execFileSync('swift-ring-builder', [builder, ...words], { stdio: 'ignore' });
  run('create', '4', '1', '1');
  run('add', `r1z1-127.0.0.1:${port}/d1`, '1');
  run('rebalance');
}

function write(folder: string, name: string, lines: readonly string[]): void {
  writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
}
