import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeNodeFlags } from './inspector-command.ts';
import { chooseIsolation, findIsolationFault, isolationKinds, noIsolation } from './isolation.ts';

type Outcome = 'done' | string;

/** Runs a program with the command. The program attempts each step and returns the outcomes. */
function attempt(command: readonly string[], steps: Readonly<Record<string, string>>): Record<string, Outcome> {
  const program = `
    const { connect } = require('node:net');
    const fs = require('node:fs');
    const open = (target) => new Promise((resolve, reject) =>
      connect(target).once('connect', resolve).once('error', reject));
    const steps = { ${Object.entries(steps).map(([name, code]) => `${JSON.stringify(name)}: async () => { ${code} }`)} };
    (async () => {
      const outcomes = {};
      for (const [name, step] of Object.entries(steps))
        outcomes[name] = await step().then(() => 'done', (error) => error.code ?? error.message);
      process.stdout.write(JSON.stringify(outcomes), () => process.exit(0));
    })();`;
  const words = ['-c', 'exec "$@"', 'attempt', ...command, '--eval', program];
  return JSON.parse(
    execFileSync('/bin/sh', words, { env: {}, encoding: 'utf8', timeout: 600_000, stdio: 'pipe' }),
  ) as Record<string, Outcome>;
}

/** Makes the workspaces of two inspectors and files with the server's secrets. */
function makePlaces() {
  const root = makeTestFolder();
  const path = join(root, 'incoming', 'one');
  const other = join(root, 'incoming', 'other');
  const compiled = join(root, 'compiled');
  for (const folder of [path, other, compiled]) mkdirSync(folder, { recursive: true });
  for (const file of [join(root, 'operator.key'), join(path, 'file'), join(other, 'file'), join(compiled, 'file')])
    writeFileSync(file, 'bytes');
  return { root, path, other, compiled };
}

async function listenAt(address: string | number): Promise<string | number> {
  const server = createServer((socket) => socket.end()).listen(address);
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : address;
}

const quote = (text: string) => JSON.stringify(text);
const here = isolationKinds.filter((isolation) => findIsolationFault(isolation) === undefined);

describe.each(here)('with $kind a compromised inspector', ({ kind, wrap }) => {
  it('reads its file, writes nothing, and reaches no other file or process of its user', async () => {
    const { root, path, other, compiled } = makePlaces();
    const port = await listenAt(0);
    const socket = String(await listenAt(join(root, 'operator.sock')));
    const steps = {
      'its file': `fs.readFileSync(${quote(join(path, 'file'))})`,
      'the code of Node.js': `fs.accessSync(process.execPath, fs.constants.X_OK)`,
      'compiled code': `fs.readFileSync(${quote(join(compiled, 'file'))})`,
      'a change of compiled code': `fs.writeFileSync(${quote(join(compiled, 'file'))}, 'other')`,
      'further compiled code': `fs.writeFileSync(${quote(join(compiled, 'planted'))}, '')`,
      'a change of its file': `fs.writeFileSync(${quote(join(path, 'file'))}, 'other')`,
      'a file in its folder': `fs.writeFileSync(${quote(join(path, 'other'))}, 'other')`,
      'files of services in /usr': `fs.readdirSync('/usr/share')`,
      'the file of another inspector': `fs.readFileSync(${quote(join(other, 'file'))})`,
      'the names of other files': `if (fs.readdirSync(${quote(dirname(path))}).length > 1) return; throw new Error('hidden')`,
      'the operator key': `fs.readFileSync(${quote(join(root, 'operator.key'))})`,
      'the environment of the server': `if (fs.readFileSync('/proc/${process.pid}/environ').length > 0) return`,
      'a change of the code': `fs.writeFileSync(${quote(join(dirname(process.execPath), 'planted'))}, '')`,
      'a file in the root folder': `fs.writeFileSync('/planted', '')`,
      'the former root folder': `if (fs.readdirSync('/former').length > 0) return; throw new Error('hidden')`,
    };
    const outcomes = attempt(wrap(path, [process.execPath], compiled), steps);

    const [first, second, third, ...denied] = Object.values(outcomes);
    expect([first, second, third]).toEqual(['done', 'done', 'done']);
    expect(denied, JSON.stringify(outcomes)).toHaveLength(12);
    for (const outcome of denied) expect(['ENOENT', 'EACCES', 'EROFS', 'EPERM', 'hidden']).toContain(outcome);
    if (kind !== 'namespaces') return;
    expect(
      attempt(wrap(path, [process.execPath]), {
        'the network': `await open({ host: '127.0.0.1', port: ${port} })`,
        "the operator's socket": `await open(${quote(socket)})`,
        'a signal to the server': `process.kill(${process.pid}, 0)`,
        'further namespaces': `
          require('node:child_process').execFileSync('unshare', ['--user', 'true'], { stdio: 'pipe' })`,
        'its own namespaces': `
          const status = fs.readFileSync('/proc/self/status', 'utf8');
          throw new Error(/CapEff:\\t(0+)\\n/.test(status) && /NoNewPrivs:\\t1/.test(status) ? 'no rights' : status)`,
        'bytes and processes without limit': `
          const limits = fs.readFileSync('/proc/self/limits', 'utf8');
          const isSmall = /Max file size +0 +0 /.test(limits) && /Max processes +64 +64 /.test(limits);
          throw new Error(isSmall ? 'limited' : limits)`,
        'a change of the system': `fs.writeFileSync('/proc/self/oom_score_adj', '1')`,
        'file systems with rights': `
          const mounts = fs.readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\\n');
          const rights = mounts.filter((mount) => !/^(\\S+ ){5}ro,(\\S+,)*nosuid[, ]/.test(mount));
          throw new Error(rights.join() || 'none')`,
      }),
    ).toEqual({
      'a change of the system': 'EROFS',
      'file systems with rights': 'none',
      'bytes and processes without limit': 'limited',
      'further namespaces': expect.stringMatching(/^Command failed/),
      'its own namespaces': 'no rights',
      'the network': 'ENETUNREACH',
      "the operator's socket": 'ENOENT',
      'a signal to the server': 'ESRCH',
    });
  });
});

describe.each(here.filter(({ kind }) => kind === 'namespaces'))('with $kind', ({ wrap }) => {
  it.each([
    ['the one that was started', 'exec "$@"'],
    ['the server that started it', '"$@" & wait'],
  ])('no process outlives %s, whatever it asks of the system', async (_what, script) => {
    const { path } = makePlaces();
    const survivor = ['setpriv', '--pdeathsig', 'clear', 'setsid', 'sh', '-c', 'echo ready; sleep 60'];
    const words = ['-c', script, 'survive', ...wrap(path, survivor)];
    const child = spawn('/bin/sh', words, { env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');

    // The output stays open until all processes of the command have ended.
    await once(child, 'close', { signal: AbortSignal.timeout(600_000) });
  });

  it('no program starts when a step of its isolation fails', () => {
    const { path } = makePlaces();
    // A file at the path of the root folder prevents the creation of the folder.
    writeFileSync(join(path, 'root'), '');

    expect(() => attempt(wrap(path, [process.execPath]), {})).toThrow(/mkdir: .*root/);
    rmSync(join(path, 'root'));
    expect(() => attempt(wrap(path, [process.execPath], join(path, 'nothing here')), {})).toThrow(
      /mount: .*nothing here/,
    );
  });

  it('what others have mounted, as a readable folder or inside of one, cannot be written either', () => {
    const { root, path } = makePlaces();
    const runner = join(root, 'run.mjs');
    // This folder is in the readable code of the inspector.
    const mounted = fileURLToPath(new URL('pdf', import.meta.url));
    const isolation = new URL('isolation.ts', import.meta.url).href;
    writeFileSync(
      runner,
      `import { spawnSync } from 'node:child_process';
      import { isolationKinds } from ${quote(isolation)};
      const command = isolationKinds[0].wrap(${quote(path)}, [process.execPath, ...process.argv.slice(2)]);
      spawnSync('/bin/sh', ['-c', 'exec "$@"', 'run', ...command], { stdio: 'inherit' });`,
    );
    // If a user with fewer rights mounts a folder again, the new mount must keep the original options.
    const mount =
      'for place in "$0" "$1"; do mount -t tmpfs -o nosuid,nodev,noexec none "$place"; done; shift; exec "$@"';
    const asAnother = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', mount, mounted, path];

    expect(
      attempt([...asAnother, process.execPath, runner], {
        'the names in it': `fs.readdirSync(${quote(mounted)})`,
        'a folder in it': `fs.mkdirSync(${quote(join(mounted, 'planted'))})`,
      }),
    ).toEqual({ 'the names in it': 'done', 'a folder in it': 'EROFS' });
  });
});

const mountProc = 'unshare --user --map-root-user --mount --pid --fork mount -t proc none /proc';
const permitsNamespaces = spawnSync('/bin/sh', ['-c', mountProc]).status === 0;

it.skipIf(!permitsNamespaces)('namespaces isolate where the system permits them', () => {
  expect(chooseIsolation('auto').kind).toBe('namespaces');
});

describe('without isolation', () => {
  it('the functions of Node.js stay within the workspace', () => {
    const places = makePlaces();
    const { path, root } = places;
    const steps = {
      'its file': `fs.readFileSync(${quote(join(path, 'file'))})`,
      'a file in its folder': `fs.writeFileSync(${quote(join(path, 'other'))}, 'other')`,
      'the operator key': `fs.readFileSync(${quote(join(root, 'operator.key'))})`,
      'a change of its file': `fs.writeFileSync(${quote(join(path, 'file'))}, 'other')`,
      'the environment of the server': `fs.readFileSync('/proc/${process.pid}/environ')`,
      'a program': `require('node:child_process').execFileSync('/bin/true')`,
      'a thread': `new (require('node:worker_threads').Worker)('', { eval: true })`,
    };
    const { 'its file': file, ...denied } = attempt(
      noIsolation.wrap(path, [process.execPath, ...makeNodeFlags(places)]),
      steps,
    );

    expect(file).toBe('done');
    expect(new Set(Object.values(denied))).toEqual(new Set(['ERR_ACCESS_DENIED']));
  });

  it('a server that requires it does not start', () => {
    const findNone = () => ({ ...noIsolation, reason: 'none works here' });
    expect(() => chooseIsolation('required', findNone)).toThrow(/none works here.*PLATFORM_UPLOAD_ISOLATION=auto/);
    expect(chooseIsolation('auto', findNone).kind).toBe('none');
    if (here.length > 0) expect(chooseIsolation('required').kind).toBe(here[0]?.kind);
    expect(chooseIsolation('off').kind).toBe('none');
  });
});
