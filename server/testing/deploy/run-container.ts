import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ContainerImage } from './build-image.ts';

const run = promisify(execFile);
const name = 'agent-platform-server';

export type RunningContainer = Awaited<ReturnType<typeof startContainer>>;

// System calls that are refused, as in Docker's default seccomp profile.
const refused = ['unshare', 'setns', 'mount', 'umount2', 'pivot_root'];

/**
 * Starts a container like `deploy/compose.yaml`: with a read-only root folder, no privileges and no way to gain any, a
 * tmpfs at /tmp, and the data folder. The container uses this machine's network.
 */
export async function startContainer(folder: string, image: ContainerImage, env: Readonly<Record<string, string>>) {
  const { settings, files } = image;
  const user = Number(settings.User);
  const own = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  const mounts = Object.keys(settings.Volumes).map((destination, at) => {
    const source = join(folder, `volume-${at}`);
    mkdirSync(source, { recursive: true });
    return { destination, type: 'bind', source, options: ['rbind', 'rw', 'nosuid', 'nodev'] };
  });
  for (const { source } of mounts) await run('chown', [String(user), source]);
  const tmpfs = (destination: string, ...options: readonly string[]) => {
    return { destination, type: 'tmpfs', source: 'tmpfs', options: ['nosuid', ...options] };
  };
  const none = { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] };
  const config = {
    ociVersion: '1.0.0',
    process: {
      user: { uid: user, gid: user },
      args: settings.Entrypoint,
      env: [...settings.Env, ...own],
      cwd: settings.WorkingDir,
      capabilities: none,
      noNewPrivileges: true,
    },
    root: { path: files, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      tmpfs('/dev', 'mode=755', 'size=64k'),
      tmpfs('/tmp', 'nodev', 'mode=1777', 'size=64m'),
      ...mounts,
    ],
    linux: {
      namespaces: ['pid', 'mount', 'ipc', 'uts'].map((type) => ({ type })),
      seccomp: {
        defaultAction: 'SCMP_ACT_ALLOW',
        syscalls: [{ names: refused, action: 'SCMP_ACT_ERRNO', errnoRet: 1 }],
      },
    },
  };
  const bundle = join(folder, 'bundle');
  mkdirSync(bundle, { recursive: true });
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(config));

  const crun = (...args: readonly string[]) => crunCommand(join(folder, 'crun'), args);
  const [program, ...words] = crun('run', '--bundle', bundle, name);
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk;
  });
  const exited = once(child, 'exit');
  return {
    log: () => log,
    exited,
    /** Runs the command as the image's user. */
    async execute(...command: readonly string[]): Promise<string> {
      const [file, ...args] = crun('exec', '--user', `${user}:${user}`, name, ...command);
      return (await run(file, args)).stdout;
    },
    /** Returns the exit code. */
    async stop(signal = settings.StopSignal): Promise<unknown> {
      const [file, ...args] = crun('kill', name, signal);
      await run(file, args);
      return (await exited)[0];
    },
    /** Returns the folder on this machine that is mounted at a path of the container. */
    volume: (path: string) => mounts.find(({ destination }) => destination === path)?.source,
  };
}

/** Hides cgroups from crun, which fails on machines with both versions of cgroups even if it uses none. */
function crunCommand(state: string, args: readonly string[]): readonly [string, ...string[]] {
  const script = 'mount -t tmpfs none /sys/fs/cgroup && exec crun --cgroup-manager=disabled --root "$@"';
  return ['unshare', '--mount', 'sh', '-c', script, 'crun', state, ...args];
}
