import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findLockedMountOptions, findMountsBelow, readMounts } from './mounts.ts';

/** The kind of isolation of an inspector (docs/operating.md, "Isolation of file checks"). */
type IsolationKind = 'namespaces' | 'landlock' | 'none';

export interface Isolation {
  readonly kind: IsolationKind;
  /** The reason why no stronger kind is used; undefined for the strongest one. */
  readonly reason: string | undefined;
  /** Makes the command line that runs a program in a workspace; the program can read a folder of compiled code. */
  wrap(workspace: string, command: readonly string[], compileCache?: string): readonly string[];
}

/** No isolation: an inspector is an ordinary process of the server's user. */
export const noIsolation: Isolation = { kind: 'none', reason: 'switched off', wrap: (_, command) => command };

/** No isolation, but the same user as with the given one, because Node.js stores compiled code per user. */
export function makeSameUserIsolation({ kind }: Isolation): Isolation {
  const asRoot = ['unshare', '--user', '--map-root-user'];
  return kind === 'namespaces' ? { ...noIsolation, wrap: (_, command) => [...asRoot, ...command] } : noIsolation;
}

export const inspectorProgram = createRequire(import.meta.url).resolve('@agent-platform/server/inspector');

export const inspectorCodePaths: readonly string[] = findCode();

// Includes only programs and libraries of /usr, because services also store data there (/usr/src/app in containers).
const inUsr = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libexec', 'local/lib'].map((name) => join('/usr', name));
const systemPaths = [...inUsr, '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store', '/gnu/store'];
const present = [...new Set([...systemPaths, ...inspectorCodePaths, process.execPath])].filter((path) =>
  existsSync(path),
);
const readable = present.filter((path) => !present.some((other) => path.startsWith(`${other}/`)));

/** The possible kinds of isolation, strongest first. */
export const isolationKinds: readonly Pick<Isolation, 'kind' | 'wrap'>[] = [
  { kind: 'namespaces', wrap: wrapInNamespaces },
  { kind: 'landlock', wrap: wrapInLandlock },
];

/** How to choose the isolation; with `required`, the server does not start without one. */
type IsolationWish = 'auto' | 'required' | 'off';

// Long enough that a busy machine does not get a weaker isolation.
const tryWithinMs = 30_000;

let found: Isolation | undefined;

/** Chooses the strongest isolation that works on this machine; tries each kind once by starting Node.js with it. */
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
  for (const isolation of isolationKinds) {
    const fault = findIsolationFault(isolation);
    const reason = reasons.length === 0 ? undefined : reasons.join('; ');
    if (fault === undefined) return { ...isolation, reason };
    reasons.push(`${isolation.kind}: ${fault}`);
  }
  return { ...noIsolation, reason: reasons.join('; ') };
}

/** Finds the reason why an isolation does not work on this machine; undefined if Node.js starts with it. */
export function findIsolationFault({ wrap }: Pick<Isolation, 'wrap'>): string | undefined {
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

// When the server exits, the inspector and its children must exit too.
const endWithServer = ['setpriv', '--pdeathsig', 'KILL'];
// No file can be written, not even shared memory.
const withoutWriting = ['prlimit', '--fsize=0'];
const withoutRights = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'];
/** Node.js uses about a dozen threads. */
const threadsMax = 64;

// The inspector gets a root folder with only the readable paths and the workspace, no network, and no foreign
// processes. The shell is the first process of its namespace: when it is killed, all others die too, even those that a
// compromised inspector started.
function wrapInNamespaces(workspace: string, command: readonly string[], compileCache?: string): readonly string[] {
  const spaces = ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--net', '--ipc', '--uts', '--kill-child'];
  const script = makeRootFolder(workspace, compileCache);
  return [...endWithServer, 'unshare', ...spaces, '/bin/sh', '-c', script, 'isolation', ...command];
}

// The script has few lines, because each line starts a program.
function makeRootFolder(workspace: string, compileCache?: string): string {
  const root = join(workspace, 'root');
  const at = (path: string) => join(root, path);
  const isFolder = (path: string) => lstatSync(path).isDirectory();
  const folders = [...readable.filter(isFolder), ...listOf(compileCache), workspace];
  // A Node.js executable outside these folders is bind-mounted, because it is too large to copy.
  const programs = readable.filter((path) => path === process.execPath);
  const shown = [...folders, ...programs];
  const mounts = readMounts();
  const readOnly = (path: string) => ['ro', 'nosuid', ...findLockedMountOptions(mounts, path)].join(',');
  // Binds the workspace without the mounts inside it: the root folder is one of them and would be writable.
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
    // Copies single files, and symbolic links to these folders.
    run('cp', '-P', '--parents', '-t', root, ...readable.filter((path) => !shown.includes(path))),
    ...programs.map((path) => run('touch', at(path))),
    // Writes a mount table, so that one program performs all mounts.
    `${run('printf', '%s\\n', ...table.map((fields) => fields.map(escapeField).join(' ')))} > ${quote(at('mounts'))}`,
    run('mount', '--all', '--fstab', at('mounts')),
    // Mounts inside these folders did not become read-only with them, so they are remounted.
    ...shown.flatMap((path) =>
      findMountsBelow(mounts, path).map((place) => run('mount', '-o', `remount,bind,${readOnly(place)}`, at(place))),
    ),
    run('cd', root),
    run('pivot_root', '.', 'former'),
    run('umount', '-l', '/former'),
    run('mount', '-o', 'remount,bind,ro,nosuid,nodev', '/'),
  ];
  return [
    'set -e',
    // Nested namespaces would grant access to more kernel functions. Containers may refuse to run this line.
    '{ echo 0 > /proc/sys/user/max_user_namespaces; } 2> /dev/null || :',
    ...lines,
    [...withoutWriting, `--nproc=${threadsMax}`, 'setpriv', ...withoutRights, '"$@"'].join(' '),
    // Otherwise the last command of the script would replace the shell.
    'exit',
  ].join('\n');
}

// Escapes the characters that separate fields, as in /etc/fstab.
const escapeField = (text: string) =>
  text.replaceAll(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
const listOf = (path: string | undefined) => (path === undefined ? [] : [path]);
const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

// Landlock denies access to all other files, and to the memory of processes outside the sandbox.
function wrapInLandlock(workspace: string, command: readonly string[], compileCache?: string): readonly string[] {
  const rule = (rights: string, path: string) => `--landlock-rule=path-beneath:${rights}:${path}`;
  const rights = mayDropRights() ? withoutRights : ['--no-new-privs'];
  return [
    ...withoutWriting,
    ...endWithServer,
    ...rights,
    '--landlock-access=fs',
    // Landlock does not accept folder rights for a file.
    ...[...readable, ...listOf(compileCache)].map((path) =>
      rule(statSync(path).isDirectory() ? 'execute,read-file,read-dir' : 'execute,read-file', path),
    ),
    rule('read-file,write-file', '/dev/null'),
    rule('read-file', workspace),
    // Replaces the system's OpenSSL configuration, because Node.js exits if that exists but is not readable.
    'env',
    'OPENSSL_CONF=/dev/null',
    ...command,
  ];
}

/** Whether this process can drop rights (CAP_SETPCAP), as root can; other users have none to drop. */
function mayDropRights(): boolean {
  const [, effective = '0'] = /^CapEff:\s*(\w+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return (BigInt(`0x${effective}`) & (1n << 8n)) !== 0n;
}

function findCode(): readonly string[] {
  const resolver = createRequire(inspectorProgram);
  const libraries = ['sharp', '@hyzyla/pdfium'].map((name) => {
    const folders = resolver.resolve.paths(name) ?? [];
    const library = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
    if (library === undefined) throw new Error(`The package ${name} is not installed.`);
    // The dependencies of the library are in the same outermost `node_modules` folder.
    return realpathSync(library).replace(/(\/node_modules)\/.*$/s, '$1');
  });
  const ownFolder = dirname(inspectorProgram);
  const own = [ownFolder, join(dirname(ownFolder), 'package.json'), join(dirname(ownFolder), 'node_modules')];
  return [...new Set([...libraries, ...own])].filter((path) => existsSync(path));
}
