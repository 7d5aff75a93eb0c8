import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'tsup';
import { bundleForWeb } from './bundle-for-web.ts';
import { installInProject, packPackages, programEnvironment, root, runProgram } from './published-packages.ts';
import { nodePackage } from './set-up-pins.mjs';
import { findNpm } from './set-up-tools.mjs';
import { runSequentially } from './steps.ts';

// `npm run lab -- runtimes`: packs the packages twice and checks them as `npm test` does. Then runs the packed SDK on
// every runtime that its README promises, against the fake platform and the server, and checks the message on older
// ones. Runtimes are installed from the npm registry; one that cannot be installed is reported and skipped.

interface Runtime {
  readonly name: string;
  readonly packages: readonly string[];
  /** The path of the executable below node_modules. */
  readonly executable: string;
  readonly args: readonly string[];
  /** Whether esbuild must bundle the program and its imports into one ES module. */
  readonly isBundled?: boolean;
  /** Whether the SDK must reject this runtime as too old. */
  readonly isTooOld?: boolean;
}

const { name: nodeName } = nodePackage(process.platform, process.arch);
const node = (version: string): Runtime => ({
  name: `node${version}`,
  packages: [`${nodeName}@${version}`],
  executable: `${nodeName}/bin/node`,
  args: ['--no-warnings'],
});
const runtimes: readonly Runtime[] = [
  { ...node('18'), isTooOld: true },
  { ...node('20'), isTooOld: true },
  node('22'),
  node('24'),
  node('26'),
  { ...node('24'), name: 'bundle', isBundled: true },
  { name: 'bun', packages: ['bun'], executable: '@oven/bun-*/bin/bun', args: ['run'] },
  { name: 'deno', packages: ['deno'], executable: '@deno/*/deno', args: ['run', '--allow-all'] },
];

const folder = mkdtempSync(join(tmpdir(), 'agent-platform-runtimes-'));
// No package can be resolved from this folder.
const alone = mkdtempSync(join(tmpdir(), 'agent-platform-bundle-'));
process.once('exit', () => rmSync(alone, { recursive: true, force: true }));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const packages = { name: 'packages build, install and pack reproducibly', program: 'scripts/check-packages.ts' };
const [arePackagesRight] = await runSequentially([{ ...packages, args: ['--all'] }]);
const packed = await packPackages(join(folder, 'packages'), ['contract', 'sdk']);
await installInProject(
  folder,
  packed.map(({ tarball }) => tarball),
);
const server = await startServer();
let failed = arePackagesRight ? 0 : 1;
for (const runtime of runtimes) {
  const { verdict, hasFailed } = await check(runtime, server.url);
  console.log(`${runtime.name}: ${verdict}`);
  if (hasFailed) failed += 1;
}
const worker = await checkWorker(server.url);
console.log(`workers: ${worker.verdict}`);
if (worker.hasFailed) failed += 1;
await server.stop();
process.exitCode = failed === 0 ? 0 : 1;

async function check(runtime: Runtime, url: string) {
  const { name, packages, executable } = runtime;
  const place = join(folder, 'runtimes', name);
  try {
    await installInProject(place, packages);
  } catch (error) {
    return { verdict: `not tested, because npm cannot install it: ${reasonOf(error)}`, hasFailed: false };
  }
  const [program] = globSync(join(place, 'node_modules', executable));
  if (program === undefined)
    return { verdict: 'not tested, because there is no executable for this machine', hasFailed: false };
  const { stdout } = await runProgram(program, ['--version'], { env: programEnvironment });
  const version = stdout.split('\n')[0] ?? '';
  try {
    const { says, isRight } = await (runtime.isTooOld ? isRefused(program) : works(runtime, program, url));
    return { verdict: `${version} ${says}`, hasFailed: !isRight };
  } catch (error) {
    return { verdict: `${version} fails: ${String(error)}`, hasFailed: true };
  }
}

/** The SDK must reject a runtime on which its dependencies may not load. */
async function isRefused(program: string) {
  const code = "import('@agent-platform/sdk').catch((error) => console.log(error.message))";
  const { stdout } = await runProgram(program, ['-e', code], { cwd: folder, env: programEnvironment });
  const says = stdout.trim();
  return { says: `is refused: ${says}`, isRight: /^@agent-platform\/sdk needs Node\.js .*$/.test(says) };
}

async function works({ name, args, isBundled }: Runtime, program: string, url: string) {
  const home = join(folder, name);
  mkdirSync(home);
  copyFileSync(join(root, 'sdk/testing/programs/runtime-program.ts'), join(home, 'program.ts'));
  if (isBundled) await bundle(home);
  const met = 'contact.requested, message.created, Hello, Bob, invalid_file';
  const expected = {
    onFake: met,
    onServer: met,
    isOne: true,
    stored: 2,
    unreached: 'connection_failed',
    box: 'sealed',
  };
  const { stdout } = await runProgram(
    program,
    [...args, isBundled ? join(alone, 'program.js') : 'program.ts', url, name],
    {
      cwd: home,
      env: programEnvironment,
      timeout: 60_000,
    },
  );
  const report = stdout.trim().split('\n').at(-1) ?? '';
  const isRight = report === JSON.stringify(expected);
  return { says: isRight ? 'works' : `reports ${report}`, isRight };
}

/** The program uses no Node.js; the Workers runtime has a separate lock file. */
async function checkWorker(url: string) {
  const place = join(folder, 'workers');
  cpSync(join(root, 'scripts/lab/workers-runtime'), place, { recursive: true });
  copyFileSync(join(root, 'sdk/testing/programs/web-program.ts'), join(folder, 'web-program.ts'));
  const npm = findNpm();
  try {
    await runProgram(npm.command, [...npm.args, 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: place,
      env: programEnvironment,
    });
  } catch (error) {
    return { verdict: `not tested, because npm cannot install it: ${reasonOf(error)}`, hasFailed: false };
  }
  const program = `import { expectedScenarioReport, runPlatformScenario } from '../web-program.ts';
    export default { fetch: async () => new Response(await check()) };
    async function check() {
      const report = await runPlatformScenario(${JSON.stringify(url)}, 'worker');
      return report === expectedScenarioReport ? 'works' : report;
    }`;
  const options = {
    modules: true,
    script: await bundleForWeb(program, folder, 'workerd'),
    compatibilityDate: '2026-07-01',
  };
  const starter = `import { Miniflare } from 'miniflare';
    const runtime = new Miniflare(${JSON.stringify(options)});
    console.log(await (await runtime.dispatchFetch('http://worker.test/')).text());
    await runtime.dispose();`;
  writeFileSync(join(place, 'start.mjs'), starter);
  const { stdout } = await runProgram(process.execPath, ['start.mjs'], {
    cwd: place,
    env: programEnvironment,
    timeout: 60_000,
  });
  const report = stdout.trim();
  const hasFailed = report !== 'works';
  return { verdict: hasFailed ? `reports ${report}` : report, hasFailed };
}

async function bundle(home: string): Promise<void> {
  const options = { config: false, format: 'esm', platform: 'node', target: 'node24', silent: true } as const;
  await build({ ...options, entry: [join(home, 'program.ts')], outDir: alone, noExternal: [/.*/], splitting: false });
}

/** Returns the first lines of npm's errors, because they state the cause; the last lines only refer to the log file. */
function reasonOf(error: unknown): string {
  const lines = String(error).split('\n');
  const causes = lines.flatMap((line) => /^npm error (.*\S)/.exec(line)?.[1] ?? []);
  return causes.length === 0 ? (lines[0] ?? '') : causes.slice(0, 2).join('; ');
}

async function startServer() {
  const settings = {
    PORT: '0',
    PLATFORM_DATA_DIR: join(folder, 'data'),
    PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
  };
  const child = spawn(process.execPath, [join(root, 'server/src/main.ts')], {
    cwd: root,
    env: { PATH: programEnvironment['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>();
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk;
    const url = /"url":"([^"]+)".*"ready"/.exec(log)?.[1];
    if (url !== undefined) resolve(url);
  });
  child.once('exit', () => reject(new Error(`The server ended: ${log}`)));
  const url = await ready;
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { url, stop };
}
