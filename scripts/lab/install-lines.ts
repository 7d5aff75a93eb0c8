import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { makeInstallLines, type PackageName } from '../../install-lines.ts';
import { listFiles } from '../list-files.ts';
import { programEnvironment, root, runProgram } from '../published-packages.ts';

// `npm run lab -- install-lines`: runs the installation and start lines of the documents in fresh clones, once with
// tarballs and once with packages that a clone publishes to a registry on this machine (verdaccio).
const folder = mkdtempSync(join(tmpdir(), 'agent-platform-install-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const registry = 'http://127.0.0.1:4873/';

for (const published of [false, true]) {
  const place = join(folder, published ? 'registry' : 'checkout');
  const clone = join(place, 'clone');
  await runProgram('git', ['clone', '--quiet', root, clone]);
  writeFileSync(join(clone, 'release.json'), `{ "published": ${published} }\n`);
  const env = { ...programEnvironment, AGENTP_HOME: place };
  await runProgram('npm', ['run', 'generate'], { cwd: clone, env });
  if (!published) {
    await follow(clone, clone, env, published);
    continue;
  }
  const stop = await startRegistry(clone);
  const elsewhere = join(place, 'elsewhere');
  mkdirSync(elsewhere);
  const ofRegistry = { npm_config_registry: registry, npm_config_cache: join(place, 'cache'), npm_config_yes: 'true' };
  await follow(clone, elsewhere, { ...env, ...ofRegistry }, published).finally(stop);
}

/** Calls the programs in start lines with --help instead of their arguments. */
async function follow(clone: string, cwd: string, env: NodeJS.ProcessEnv, published: boolean): Promise<void> {
  const lines = new Set<string>();
  for (const path of listFiles(clone, '*.md')) {
    const page = readFileSync(join(clone, path), 'utf8');
    for (const [, name = '', block = ''] of page.matchAll(/<!-- install: ([a-z]+) -->\n(.*?)<!-- end -->/gs)) {
      const start = makeInstallLines(name as PackageName, published).run;
      for (const [, code = ''] of block.matchAll(/^```sh\n(.*?)^```$/gms)) {
        if (start === '' || !code.includes(start)) lines.add(code.trim());
      }
      if (block.includes(start) && start !== '' && start !== 'npm start') lines.add(`${start} --help`);
    }
  }
  lines.add('cd ../my-agent && node --input-type=module -e "await import(\'@agent-platform/sdk\')"');
  for (const line of lines) {
    // Uses a separate folder for global packages, because npx would use a package that is installed in the usual one.
    const prefix = line.includes('--global') ? { npm_config_prefix: join(folder, `global-${published}`) } : {};
    await runProgram('bash', ['-ec', line.replace('/path/to/checkout', clone)], { cwd, env: { ...env, ...prefix } });
    console.log(`works: ${line}`);
  }
  const dev = `${makeInstallLines('cli', published).run} dev --json`;
  const child = spawn('bash', ['-ec', dev], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  await untilPrinted(child.stdout, '"status":"ready"', dev);
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  await once(child, 'close');
  console.log(`works: ${dev}`);
}

/** The registry forwards requests for other packages to this machine's usual one. Returns a function that stops it. */
async function startRegistry(clone: string): Promise<() => void> {
  const own = join(root, 'scripts/lab/install-lines');
  await runProgram('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: own, env: programEnvironment });
  const { stdout: upstream } = await runProgram('npm', ['config', 'get', 'registry'], {
    cwd: folder,
    env: programEnvironment,
  });
  const local = { access: '$all', publish: '$all' };
  const config = {
    storage: join(folder, 'storage'),
    uplinks: { upstream: { url: upstream.trim() } },
    packages: {
      '@agent-platform/*': local,
      'create-agent-platform': local,
      '**': { access: '$all', proxy: 'upstream' },
    },
    log: { type: 'stdout', level: 'warn' },
  };
  // Written as JSON, which is valid YAML.
  writeFileSync(join(folder, 'verdaccio.yaml'), JSON.stringify(config));
  const program = join(own, 'node_modules/verdaccio/bin/verdaccio');
  const args = [program, '--config', join(folder, 'verdaccio.yaml'), '--listen', registry];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  process.once('exit', () => child.kill());
  while (!(await fetch(`${registry}-/ping`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error('verdaccio has ended.');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await runProgram('npm', ['run', 'pack'], { cwd: clone, env: programEnvironment });
  for (const tarball of readdirSync(join(clone, 'packages'))) {
    const token = `--${registry.replace('http:', '')}:_authToken=none`;
    await runProgram('npm', ['publish', `./packages/${tarball}`, '--registry', registry, token], {
      cwd: clone,
      env: programEnvironment,
    });
  }
  return () => child.kill();
}

async function untilPrinted(stream: NodeJS.ReadableStream, text: string, program: string): Promise<void> {
  let printed = '';
  for await (const chunk of stream) {
    printed += String(chunk);
    if (printed.includes(text)) return;
  }
  throw new Error(`${program} has ended: ${printed}`);
}
