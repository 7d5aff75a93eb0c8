import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { lockedOptions, mountsBelow, readMounts } from './mounts.ts';

/** How much of the machine an inspector can reach (docs/operating.md, "Isolation of file checks"). */
type IsolationKind = 'namespaces' | 'landlock' | 'none';

/** A way to start inspectors apart from the server. */
export interface Isolation {
  readonly kind: IsolationKind;
  /** Why no stronger kind is used; undefined for the strongest. */
  readonly reason: string | undefined;
  /** The command line that starts a program with its arguments in a workspace, with a folder of compiled code to read. */
  wrap(workspace: string, command: readonly string[], compileCache?: string): readonly string[];
}

/** Neither namespaces nor Landlock: an inspector is an ordinary process of the server's user. */
export const noIsolation: Isolation = { kind: 'none', reason: 'switched off', wrap: (_, command) => command };

/** The user of an isolation without its limits: Node.js keeps the compiled code of each user apart. */
export function sameUserAs({ kind }: Isolation): Isolation {
  const asRoot = ['unshare', '--user', '--map-root-user'];
  return kind === 'namespaces' ? { ...noIsolation, wrap: (_, command) => [...asRoot, ...command] } : noIsolation;
}

/** The program of the inspector. */
export const program = createRequire(import.meta.url).resolve('@agent-platform/server/inspector');

/** The folders and files with the code of the inspector: its own and its libraries. */
export const codePaths: readonly string[] = findCode();

// Programs of the system and their libraries, and nothing else of /usr: services
// keep data there as well (/usr/src/app in containers).
const inUsr = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libexec', 'local/lib'].map((name) => join('/usr', name));
const systemPaths = [...inUsr, '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store', '/gnu/store'];
const present = [...new Set([...systemPaths, ...codePaths, process.execPath])].filter((path) => existsSync(path));
const readable = present.filter((path) => !present.some((other) => path.startsWith(`${other}/`)));

/** The possible isolations of an inspector, the strongest first. */
export const isolations: readonly Pick<Isolation, 'kind' | 'wrap'>[] = [
  { kind: 'namespaces', wrap: wrapInNamespaces },
  { kind: 'landlock', wrap: wrapInLandlock },
];

/** How to choose: `required` refuses to start without isolation. */
type IsolationWish = 'auto' | 'required' | 'off';

// A machine that is busy with other programs is no reason to do without.
const tryWithinMs = 30_000;

let found: Isolation | undefined;

/** The strongest kind that works on this machine; each is tried once, by a start of Node.js with it. */
export function chooseIsolation(wish: IsolationWish, find = findStrongest): Isolation {
  if (wish === 'off') return noIsolation;
  const strongest = find();
  if (wish === 'auto' || strongest.kind !== 'none') return strongest;
  throw new Error(
    `File checks cannot be isolated on this machine: ${strongest.reason}. Permit unprivileged user namespaces or install util-linux 2.41 or later (Landlock), or set PLATFORM_UPLOAD_ISOLATION=auto.`,
  );
}

function findStrongest(): Isolation {
  found ??= tryAll();
  return found;
}

function tryAll(): Isolation {
  if (process.platform !== 'linux') return { ...noIsolation, reason: `${process.platform} has none` };
  const reasons: string[] = [];
  for (const isolation of isolations) {
    const fault = findFault(isolation);
    const reason = reasons.length === 0 ? undefined : reasons.join('; ');
    if (fault === undefined) return { ...isolation, reason };
    reasons.push(`${isolation.kind}: ${fault}`);
  }
  return { ...noIsolation, reason: reasons.join('; ') };
}

/** Why this machine lacks it; undefined where Node.js starts with it. */
export function findFault({ wrap }: Pick<Isolation, 'wrap'>): string | undefined {
  const workspace = mkdtempSync(join(tmpdir(), 'isolation-'));
  try {
    const command = wrap(workspace, [process.execPath, '--eval', '']);
    const options = { env: {}, cwd: '/', timeout: tryWithinMs, encoding: 'utf8' } as const;
    const { status, stderr, error } = spawnSync('/bin/sh', ['-c', 'exec "$@"', 'isolation', ...command], options);
    if (status === 0) return undefined;
    return error?.message ?? (stderr.trim().split('\n')[0] || `ended with ${status}`);
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

// When the server exits, this process and its children must exit, too.
const endWithServer = ['setpriv', '--pdeathsig', 'KILL'];
// Nothing can be written, not even into memory that is shared.
const withoutWriting = ['prlimit', '--fsize=0'];
const withoutRights = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'];
/** Node.js has about a dozen threads. */
const threadsMax = 64;

// A root folder with the readable paths and the workspace alone, no network, and no
// process but its own. The shell is the first process of its namespace: when it is
// ended, all others end, also those that a compromised inspector has started.
function wrapInNamespaces(workspace: string, command: readonly string[], compileCache?: string): readonly string[] {
  const spaces = ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--net', '--ipc', '--uts', '--kill-child'];
  const script = makeRootFolder(workspace, compileCache);
  return [...endWithServer, 'unshare', ...spaces, '/bin/sh', '-c', script, 'isolation', ...command];
}

// Few lines: each starts a program.
function makeRootFolder(workspace: string, compileCache?: string): string {
  const root = join(workspace, 'root');
  const at = (path: string) => join(root, path);
  const isFolder = (path: string) => lstatSync(path).isDirectory();
  const folders = [...readable.filter(isFolder), ...listOf(compileCache), workspace];
  // Node.js outside of them is too large for a copy.
  const programs = readable.filter((path) => path === process.execPath);
  const shown = [...folders, ...programs];
  const mounts = readMounts();
  const readOnly = (path: string) => ['ro', 'nosuid', ...lockedOptions(mounts, path)].join(',');
  // The workspace without what is mounted inside of it: the root folder, which could be written there.
  const bind = (path: string) => (path === workspace ? 'bind' : 'rbind');
  const table = [
    ...shown.map((path) => [path, at(path), 'none', `${bind(path)},${readOnly(path)}`]),
    ['none', at('proc'), 'proc', 'ro,nosuid,nodev,noexec'],
  ];
  const run = (...words: readonly string[]) => words.map(quote).join(' ');
  const lines = [
    run('mkdir', '-p', root),
    run('mount', '-t', 'tmpfs', '-o', 'mode=755,size=64k,nosuid,nodev', 'none', root),
    run('mkdir', '-p', at('former'), at('proc'), ...folders.map(at), ...programs.map((path) => at(dirname(path)))),
    // Links into these folders, and single files.
    run('cp', '-P', '--parents', '-t', root, ...readable.filter((path) => !shown.includes(path))),
    ...programs.map((path) => run('touch', at(path))),
    // A table of mounts, so that a single program mounts them; the shell itself writes it.
    `${run('printf', '%s\\n', ...table.map((fields) => fields.map(escapeField).join(' ')))} > ${quote(at('mounts'))}`,
    run('mount', '--all', '--fstab', at('mounts')),
    // Mounts inside them would keep their own permissions.
    ...shown.flatMap((path) =>
      mountsBelow(mounts, path).map((place) => run('mount', '-o', `remount,bind,${readOnly(place)}`, at(place))),
    ),
    run('cd', root),
    run('pivot_root', '.', 'former'),
    run('umount', '-l', '/former'),
    run('mount', '-o', 'remount,bind,ro,nosuid,nodev', '/'),
  ];
  return [
    'set -e',
    // Namespaces inside would give back rights over the kernel. Containers may refuse this line.
    '{ echo 0 > /proc/sys/user/max_user_namespaces; } 2> /dev/null || :',
    ...lines,
    [...withoutWriting, `--nproc=${threadsMax}`, 'setpriv', ...withoutRights, '"$@"'].join(' '),
    // A shell is replaced by the last command of its script.
    'exit',
  ].join('\n');
}

// As in /etc/fstab: blanks separate the fields.
const escapeField = (text: string) =>
  text.replaceAll(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
const listOf = (path: string | undefined) => (path === undefined ? [] : [path]);
const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

// Landlock denies all files but these, and the memory of processes outside.
function wrapInLandlock(workspace: string, command: readonly string[], compileCache?: string): readonly string[] {
  const rule = (rights: string, path: string) => `--landlock-rule=path-beneath:${rights}:${path}`;
  const rights = mayDropRights() ? withoutRights : ['--no-new-privs'];
  return [
    ...withoutWriting,
    ...endWithServer,
    ...rights,
    '--landlock-access=fs',
    // Rights over folders are refused for a file.
    ...[...readable, ...listOf(compileCache)].map((path) =>
      rule(statSync(path).isDirectory() ? 'execute,read-file,read-dir' : 'execute,read-file', path),
    ),
    rule('read-file,write-file', '/dev/null'),
    rule('read-file', workspace),
    // Node.js ends when the system's configuration of OpenSSL exists, but is closed.
    'env',
    'OPENSSL_CONF=/dev/null',
    ...command,
  ];
}

/** Whether this process has the right to give up rights (CAP_SETPCAP), as root has; others have none to give up. */
function mayDropRights(): boolean {
  const [, effective = '0'] = /^CapEff:\s*(\w+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return (BigInt(`0x${effective}`) & (1n << 8n)) !== 0n;
}

function findCode(): readonly string[] {
  const resolver = createRequire(program);
  const libraries = ['sharp', '@hyzyla/pdfium'].map((name) => {
    const folders = resolver.resolve.paths(name) ?? [];
    const library = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
    if (library === undefined) throw new Error(`The package ${name} is not installed.`);
    // Its own dependencies lie in the same outermost folder of packages.
    return realpathSync(library).replace(/(\/node_modules)\/.*$/s, '$1');
  });
  const ownFolder = dirname(program);
  const own = [ownFolder, join(dirname(ownFolder), 'package.json'), join(dirname(ownFolder), 'node_modules')];
  return [...new Set([...libraries, ...own])].filter((path) => existsSync(path));
}
