import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findUnknownVariables, readSettings } from '../../src/platform/settings/settings.ts';
import { isSupportedNodeVersion } from '../../src/platform/versions.ts';

const deploy = fileURLToPath(new URL('../../../deploy/', import.meta.url));
const read = (path: string) => readFileSync(join(deploy, path), 'utf8');
/** The time in which a server exits after SIGTERM, without the drain. */
const shutdownSeconds = 10;

const containerfile = read('Containerfile').replaceAll('\\\n', ' ');
const lines = (instruction: string) =>
  [...containerfile.matchAll(new RegExp(`^${instruction} +(.*)$`, 'gm'))].map(([, rest = '']) => rest.trim());
const imageVariables = Object.fromEntries(
  lines('ENV').flatMap((line) => line.split(/\s+/).map((word) => word.split('=') as [string, string])),
);

interface Service {
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: object;
  readonly [option: string]: unknown;
}
const compose = parse(read('compose.yaml')) as {
  readonly services: Readonly<Record<'server' | 'postgres' | 'redis', Service>>;
  readonly volumes: object;
};
const { server } = compose.services;
// The variables in an operator's .env file.
const examples: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: '0123456789abcdef',
  PLATFORM_PUBLIC_URL: 'https://agents.example.org',
};
const composeVariables = Object.fromEntries(
  Object.entries(server.environment ?? {}).map(([name, value]) => [
    name,
    String(value).replace(/\$\{(\w+):\?[^}]*\}/g, (_, variable) => examples[variable] ?? ''),
  ]),
);

describe('deploy/Containerfile', () => {
  it('starts the program from the packed packages without root, on a Node.js version that can run it', () => {
    const manifest = (name: string) => JSON.parse(read(`../${name}/package.json`));
    const { bin, dependencies } = manifest('server');
    const own = Object.keys(dependencies).filter((name) => dependencies[name] === 'workspace:*');
    const tarballs = ['@agent-platform/server', ...own].map((name) => `${name.slice(1).replace('/', '-')}-*.tgz`);
    const [copied = ''] = lines('COPY');

    expect(copied.split(' ').slice(0, -1).sort()).toEqual(tarballs.sort());
    expect(Object.keys(bin)).toContain(JSON.parse(lines('ENTRYPOINT')[0] ?? '')[0]);
    expect(Number(lines('USER').at(-1))).toBeGreaterThan(0);
    expect(isSupportedNodeVersion(`${/node:(\d+)-/.exec(lines('ARG')[0] ?? '')?.[1]}.99.0`)).toBe(true);
  });

  it('contains the packages that export traces, which are not installed with the server', () => {
    expect(containerfile).toMatch(/npm install \$options \$\(node -p .*server\/package\.json'\)\.peerDependencies/);
  });

  it('only writes to its volume, and listens where it says', () => {
    const { HOST, PORT, PATH, ...rest } = imageVariables;

    expect(findUnknownVariables(imageVariables)).toEqual([]);
    expect(rest).toEqual({ PLATFORM_DATA_DIR: lines('VOLUME')[0] });
    expect([PORT]).toEqual(lines('EXPOSE'));
    expect(HOST).toBe('0.0.0.0');
    expect(PATH).toMatch(/^\/opt\/agent-platform\/node_modules\/\.bin:/);
    expect(containerfile).toContain('COPY --from=packages /opt/agent-platform /opt/agent-platform');
  });
});

it('the image is healthy while its process runs: a restart does not help if the database is unavailable', () => {
  expect(containerfile).toMatch(/^HEALTHCHECK .*\/health\/live/m);
  expect(containerfile).not.toContain('/health/ready');
});

describe('deploy/compose.yaml', () => {
  it('contains only valid settings', () => {
    const settings = readSettings({ ...imageVariables, ...composeVariables });

    expect(findUnknownVariables(composeVariables)).toEqual([]);
    expect(settings.publicUrl).toBe(examples['PLATFORM_PUBLIC_URL']);
    expect(server['stop_grace_period']).toBe(`${settings.drainSeconds + shutdownSeconds}s`);
  });

  it('agrees with the Containerfile on files, paths and ports', () => {
    const { context = '', dockerfile = '' } = server.build ?? {};

    expect(normalize(context)).toBe('../packages');
    expect(existsSync(join(deploy, context, dockerfile))).toBe(true);
    expect(server.volumes).toEqual([`server:${imageVariables['PLATFORM_DATA_DIR']}`]);
    expect(server.ports).toEqual([`127.0.0.1:8080:${imageVariables['PORT']}`]);
    expect(Object.keys(compose.volumes)).toEqual(['server', 'postgres']);
  });

  it.each(Object.entries(compose.services))('restricts %s to what it needs, and restarts it', (name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: 'unless-stopped',
      mem_limit: expect.stringMatching(/^\d+[mg]$/),
      cpus: expect.any(Number),
      pids_limit: expect.any(Number),
    });
    // The server needs no health check here, because its image has one.
    expect(service.healthcheck !== undefined).toBe(name !== 'server');
  });
});

describe('deploy/agent-platform-server.service', () => {
  const unit = read('agent-platform-server.service');
  const optionOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];
  const analyzer = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' });
  const version = analyzer.status === 0 ? analyzer.stdout.split('\n')[0] : undefined;

  it.skipIf(version === undefined)(
    `is verified silently, by ${version ?? 'systemd-analyze, which is not installed'}`,
    () => {
      const folder = makeTestFolder();
      const file = join(folder, 'agent-platform-server.service');
      // `systemd-analyze` requires that the unit's program exists.
      writeFileSync(file, unit.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'));
      const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });

      expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: '' });
      const security = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', file], {
        encoding: 'utf8',
      });
      expect(Number(/exposure level .*: ([\d.]+) /.exec(security)?.[1])).toBeLessThan(3);
    },
  );

  it('permits what Node.js and the isolation of file checks require', () => {
    // isolation.ts calls unshare and mounts a new /proc. The kernel rejects this mount if other mounts cover parts of
    // the existing /proc.
    expect(optionOf('RestrictNamespaces')?.split(' ')).toEqual(
      expect.arrayContaining(['user', 'mnt', 'pid', 'net', 'ipc', 'uts']),
    );
    for (const call of ['@mount', 'landlock_create_ruleset', 'landlock_add_rule', 'landlock_restrict_self'])
      expect(optionOf('SystemCallFilter')?.split(' ')).toContain(call);
    for (const name of ['Hostname', 'KernelTunables', 'KernelLogs']
      .map((part) => `Protect${part}`)
      .concat('ProcSubset', 'MemoryDenyWriteExecute'))
      expect(optionOf(name)).toBeUndefined();
  });

  it('agrees with the environment of the guide, and does not interrupt a drain', () => {
    const guide = read('../docs/guides/production.md');
    const environment = Object.fromEntries(
      [...(/^```ini\n(DATABASE_URL=.*?)^```/ms.exec(guide)?.[1] ?? '').matchAll(/^(\w+)=(.*)$/gm)].map(
        ([, name = '', value = '']) => [name, value],
      ),
    );
    const { dataDir, drainSeconds } = readSettings(environment);

    expect(findUnknownVariables(environment)).toEqual([]);
    expect(dataDir).toBe(optionOf('WorkingDirectory'));
    expect(dataDir).toBe(`/var/lib/${optionOf('StateDirectory')}`);
    expect(optionOf('WantedBy')).toBe('multi-user.target');
    expect(optionOf('ExecStart')).toMatch(/^\/opt\/agent-platform\/node_modules\/\.bin\/agent-platform-server$/);
    expect(environment['PATH']?.split(':')[0]).toBe('/opt/agent-platform/node_modules/.bin');
    expect(Number(optionOf('TimeoutStopSec'))).toBe(drainSeconds + shutdownSeconds);
    expect(guide).toContain(optionOf('EnvironmentFile'));
  });
});
