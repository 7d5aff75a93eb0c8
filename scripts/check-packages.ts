import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { problemAffectsResolutionKind, problemKindInfo } from '@arethetypeswrong/core/problems';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { findConsumerFaults } from './check-consumers.ts';
import { findSlowStarts } from './check-start.ts';
import { findStarterFaults } from './check-starter.ts';
import { findDeadLinks } from './find-dead-links.ts';
import { describeProject, readProject, sharedFiles } from './published-manifest.mjs';
import {
  installInProject,
  oldNodeImport,
  type PackedPackage,
  packPackages,
  programEnvironment,
  root,
  runProgram,
} from './published-packages.ts';

// Packs every published package (which builds it), examines the tarballs, and installs and uses them in an empty
// folder. With `--all`, which `npm run lab -- runtimes` passes, also packs them twice to compare the results, compiles
// and bundles them like users, and runs the starter, which must finish within a minute.
const server = 'agent-platform-server';

/** Arguments that prove that a program starts: --version if it has that option, otherwise --help. */
const programs: Record<string, readonly (readonly string[])[]> = {
  agentp: [['--version']],
  'agent-platform-conformance': [['--help']],
  'agent-platform-mcp': [['--help']],
  'create-agent-platform': [['--help']],
  [server]: [['--version'], ['operator', '--help']],
};

const folder = mkdtempSync(join(tmpdir(), 'agent-platform-packages-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const { values: options } = parseArgs({ options: { all: { type: 'boolean', default: false } } });
const faults = await checkAll();
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;

async function checkAll(): Promise<readonly string[]> {
  const packed = await packPackages(folder);
  const again = options.all ? await packPackages(join(folder, 'again')) : packed;
  const differing = packed.filter(({ tarball }, at) => !readFileSync(tarball).equals(readTarball(again[at])));
  const faults = differing.map(({ manifest }) => `${manifest.name}: two runs of pnpm pack differ`);
  const examined = await Promise.all(packed.map(examine));
  return [...faults, ...examined.flat(), ...(await installAndUse(packed))];
}

function readTarball(packed: PackedPackage | undefined): Buffer {
  return packed === undefined ? Buffer.alloc(0) : readFileSync(packed.tarball);
}

async function examine({ manifest, tarball }: PackedPackage): Promise<readonly string[]> {
  const bytes = readFileSync(tarball);
  const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball: data }, strict: true });
  const faults = messages.map((message) => `publint: ${formatMessage(message, pkg) ?? message.code}`);
  // Excludes programs, because they have no types to check.
  const programPaths = Object.entries(manifest.publishConfig?.exports ?? {})
    .filter(([, target]) => typeof target === 'string')
    .map(([path]) => path);
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(data)), {
    excludeEntrypoints: programPaths,
  });
  if (!analysis.types) faults.push('attw: the package has no types');
  // The packages only contain ES modules, so CommonJS problems do not count.
  for (const problem of analysis.types ? analysis.problems : []) {
    const kinds = ['node16-esm', 'bundler'] as const;
    if (!analysis.types || !kinds.some((kind) => problemAffectsResolutionKind(problem, kind, analysis))) continue;
    faults.push(`attw: ${problemKindInfo[problem.kind].title}: ${JSON.stringify(problem)}`);
  }
  return faults.map((fault) => `${manifest.name}: ${fault}`);
}

async function installAndUse(packed: readonly PackedPackage[]): Promise<readonly string[]> {
  const place = join(folder, 'user');
  await installInProject(
    place,
    packed.map(({ tarball }) => tarball),
  );
  const faults: string[] = [];
  for (const { manifest } of packed) {
    const dead = findDeadLinks(join(place, 'node_modules', manifest.name));
    faults.push(...[...dead, ...findUnshared(manifest.name, place)].map((fault) => `${manifest.name}: ${fault}`));
    const importing = ['--input-type=module', '-e', `await import('${manifest.name}')`];
    await runProgram(process.execPath, importing, { cwd: place }).catch((error: Error) =>
      faults.push(`${manifest.name} cannot be imported: ${error.message}`),
    );
    for (const program of Object.keys(manifest.bin ?? {})) {
      const commandLines = programs[program];
      if (commandLines === undefined) {
        faults.push(`${program}: add to scripts/check-packages.ts how to check that it starts`);
        continue;
      }
      for (const args of commandLines) {
        const started = runProgram(join(place, 'node_modules/.bin', program), args, {
          cwd: place,
          env: programEnvironment,
        });
        const { stdout } = await started.catch((error: Error) => ({ stdout: error.message }));
        const expected = args.includes('--version') ? manifest.version : 'Usage';
        if (!stdout.includes(expected)) faults.push(`${program} ${args.join(' ')} prints: ${stdout}`);
      }
    }
  }
  const { version = '' } = packed.find(({ manifest }) => manifest.bin?.[server] !== undefined)?.manifest ?? {};
  const agentp = join(place, 'node_modules/.bin/agentp');
  const slow = await findSlowStarts(agentp, ['--version', 'wallet show --help'], {
    cwd: place,
    env: programEnvironment,
  });
  const consumers = options.all ? await findConsumerFaults(place) : [];
  return [...faults, ...slow, ...consumers, ...(await checkDev(place)), ...(await checkServer(place, version, packed))];
}

/** Finds files and manifest members that should equal those in the repository root but do not. */
function findUnshared(name: string, place: string): readonly string[] {
  const read = (file: string) => readFileSync(join(place, 'node_modules', name, file), 'utf8');
  const faults = ['LICENSE', ...sharedFiles]
    .filter((file) => read(file) !== readFileSync(join(root, file), 'utf8'))
    .map((file) => `${file} differs from the file in the repository root`);
  const expected = describeProject(readProject(), basename(name));
  const { author, repository, homepage, bugs } = JSON.parse(read('package.json'));
  const described = Object.entries({ author, repository, homepage, bugs }).filter(([, value]) => value !== undefined);
  if (isDeepStrictEqual(Object.fromEntries(described), expected)) return faults;
  return [...faults, `the manifest does not describe the project as ${JSON.stringify(expected)}`];
}

/** `agentp dev` must find the installed server, and stop if the port is in use. */
async function checkDev(place: string): Promise<readonly string[]> {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const args = ['dev', '--json', '--port', String(port)];
  const started = runProgram(join(place, 'node_modules/.bin/agentp'), args, { cwd: place, env: programEnvironment });
  const { stdout } = await started.catch((error: { readonly stdout: string }) => error);
  other.close();
  return stdout.includes('"port_in_use"') ? [] : [`agentp dev on a port in use prints: ${stdout}`];
}

/** Uses an embedded database. */
async function checkServer(
  place: string,
  version: string,
  packed: readonly PackedPackage[],
): Promise<readonly string[]> {
  const program = join(place, 'node_modules/.bin', server);
  const refused = runProgram(process.execPath, ['--import', oldNodeImport, program], { cwd: place, timeout: 30_000 });
  const { stderr } = await refused.then(
    () => ({ stderr: 'nothing, and starts' }),
    (error: { readonly stderr: string }) => error,
  );
  const faults = /^This server needs Node\.js .*\n$/.test(stderr) ? [] : [`${server} on Node.js 20 prints: ${stderr}`];
  faults.push(...(await checkTraces(program, place)));
  // Omits all other settings of this machine.
  const env = { PATH: programEnvironment['PATH'], PORT: '0' };
  const child = spawn(program, { cwd: place, env, stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const { promise: ready, resolve } = Promise.withResolvers<string>();
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk;
    const url = new RegExp(`"version":"${version}","url":"([^"]+)".*"ready"`).exec(log)?.[1];
    if (url !== undefined) resolve(url);
  });
  const url = await Promise.race([ready, ended.then(() => undefined)]);
  if (url !== undefined) {
    const health: unknown = await (await fetch(`${url}/health/ready`)).json();
    if (!isDeepStrictEqual(health, { status: 'ok', version })) faults.push(`${server}: ${JSON.stringify(health)}`);
    faults.push(
      ...(await loadPages(url)),
      ...(await uploadFiles(url)),
      ...(options.all ? await findStarterFaults(place, url, packed) : []),
    );
    child.kill('SIGTERM');
  }
  const [code] = await ended;
  return code === 0 ? faults : [...faults, `${server} ended with ${code}: ${log}`];
}

/** A server that should export traces must not start without the optional tracing packages. */
async function checkTraces(program: string, place: string): Promise<readonly string[]> {
  const env = {
    PATH: programEnvironment['PATH'],
    PORT: '0',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318',
  };
  const { stderr } = await runProgram(program, [], { cwd: place, env, timeout: 30_000 }).then(
    () => ({ stderr: 'nothing, and starts' }),
    (error: { readonly stderr: string }) => error,
  );
  const isRefused = /Run "npm install( @opentelemetry\/[a-z-]+@\d[\d.]*)+"/.test(stderr);
  return isRefused ? [] : [`${server} without the tracing packages prints: ${stderr}`];
}

/** Loads the stylesheet too, because the package includes it as a file. */
async function loadPages(url: string): Promise<readonly string[]> {
  const page = await (await fetch(url)).text();
  const [stylesheet = '/no-stylesheet'] = /\/assets\/pages-\w+\.css/.exec(page) ?? [];
  const { status, headers } = await fetch(url + stylesheet);
  const isStyle = status === 200 && headers.get('content-type')?.startsWith('text/css') === true;
  return isStyle ? [] : [`${server} answers ${status} to ${stylesheet} of its first page: ${page.slice(0, 200)}`];
}

/** Uploads a file of each kind, which the installed inspector checks in a separate process. */
async function uploadFiles(url: string): Promise<readonly string[]> {
  const { x = '' } = generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' });
  const key = Buffer.from(x, 'base64url').toString('base64');
  const agent = { handle: 'packed', display_name: 'Packed', encryption_public_key: key };
  const headers = { 'content-type': 'application/json' };
  const register = { method: 'POST', headers, body: JSON.stringify(agent) };
  const registered = (await (await fetch(`${url}/api/v1/bots/register`, register)).json()) as { token?: string };
  const answers = ['upright.jpg', 'r-plots.pdf'].map(async (name) => {
    const body = new FormData();
    body.append('purpose', 'order');
    body.append('upload_id', randomUUID());
    body.append('file', new File([readFileSync(join(root, 'server/testing/files', name))], name));
    const authorization = `Bearer ${registered.token}`;
    const answer = await fetch(`${url}/api/v1/attachments`, { method: 'POST', headers: { authorization }, body });
    return answer.status === 201 ? [] : [`${server} answers ${answer.status} to ${name}: ${await answer.text()}`];
  });
  return (await Promise.all(answers)).flat();
}
