import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { createContext, Script } from 'node:vm';
import { build } from 'tsup';
import { bundleForWeb, gzippedSize, webConditions } from './bundle-for-web.ts';
import { oldNodeImport, programEnvironment, root, runProgram } from './published-packages.ts';

// Tests the installed packages with settings that users may have and this repository does not: compiles without Node.js
// types, as ES modules and as CommonJS, bundles for browsers, and starts with an old Node.js.

const records = `
import { AgentPlatform, type Order } from '@agent-platform/sdk';
import { Box, generateKeyPair } from '@agent-platform/sdk/box';
import { buildEvent, FakePlatform } from '@agent-platform/sdk/testing';
import type { BotCard, Untrusted } from '@agent-platform/sdk/types';

const platform: AgentPlatform = await_(new FakePlatform().agent('alice'));
const order: Promise<Order> = platform.orders.accept({ id: '', version: 1 });
const text: Untrusted | undefined = ({} as Partial<BotCard>).bio;
// @ts-expect-error text from another agent is not a string
const bio: string = text;
declare function await_<T>(value: Promise<T>): T;
export const used = [order, bio, new Box(generateKeyPair()), buildEvent('order.changed').payload.version];
`;

const bundled = `
import { Box, fingerprint, generateKeyPair, open } from '@agent-platform/sdk/box';
import * as types from '@agent-platform/sdk/types';

const [alice, bob] = [generateKeyPair(), generateKeyPair()];
const envelope = new Box(alice).seal({ text: 'Hello, Bob', recipientPublicKey: bob.publicKey });
globalThis.said = [open(envelope, bob).text, fingerprint(alice.publicKey).length, Object.keys(types).length].join();
`;

/** Returns the problems that these users would have. `place` is the folder in which the packages are installed. */
export async function findConsumerFaults(place: string): Promise<readonly string[]> {
  const folder = join(place, 'consumers');
  mkdirSync(folder);
  const checks = [compile, bundleAndRun, bundleClient, openSources, requireThem, importOnOldNode];
  const faults: string[] = [];
  for (const check of checks) faults.push(...(await check(folder)));
  return faults;
}

async function compile(folder: string): Promise<readonly string[]> {
  const options = {
    strict: true,
    noEmit: true,
    target: 'es2024',
    module: 'node16',
    moduleResolution: 'node16',
    types: [],
    lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.disposable'],
  };
  const faults: string[] = [];
  for (const file of ['module.mts', 'common.cts']) {
    writeFileSync(join(folder, file), records);
    const config = join(folder, `tsconfig.${file}.json`);
    // CommonJS needs this, because the contract's schemas come from a package without types for CommonJS.
    const skipLibCheck = file.endsWith('.cts');
    // Without these options the compiler rejects ES modules that are loaded with `require`.
    const modules = skipLibCheck ? { module: 'nodenext', moduleResolution: 'nodenext' } : {};
    const compilerOptions = { ...options, skipLibCheck, ...modules };
    writeFileSync(config, JSON.stringify({ compilerOptions, files: [file] }));
    const compiler = join(
      dirname(createRequire(join(root, 'package.json')).resolve('typescript/package.json')),
      'bin/tsc',
    );
    const compiled = runProgram(process.execPath, [compiler, '-p', config], { cwd: folder, env: programEnvironment });
    const { stdout } = await compiled.catch((error: { readonly stdout: string }) => error);
    if (stdout !== '') faults.push(`${file} does not compile: ${stdout}`);
  }
  return faults;
}

/** Runs the bundle without any Node.js globals. */
async function bundleAndRun(folder: string): Promise<readonly string[]> {
  const entry = join(folder, 'browser.js');
  writeFileSync(entry, bundled);
  try {
    await build({
      config: false,
      entry: [entry],
      outDir: join(folder, 'dist'),
      format: 'iife',
      platform: 'browser',
      noExternal: [/./],
      minify: true,
      silent: true,
      clean: false,
    });
  } catch (error) {
    return [`sdk/box cannot be bundled for browsers: ${error}`];
  }
  const code = readFileSync(join(folder, 'dist/browser.global.js'), 'utf8');
  const { crypto, atob, btoa, TextEncoder, TextDecoder } = globalThis;
  const browser: Record<string, unknown> = { crypto, atob, btoa, TextEncoder, TextDecoder, Uint8Array };
  try {
    new Script(code).runInContext(createContext(browser));
  } catch (error) {
    return [`sdk/box does not run in a browser: ${error}`];
  }
  const faults = browser['said'] === 'Hello, Bob,64,0' ? [] : [`sdk/box says in a browser: ${browser['said']}`];
  // Limits the size, because unused code slows down a browser too.
  return code.length < 60_000 ? faults : [...faults, `sdk/box is a bundle of ${code.length} bytes.`];
}

/** Bundles the client and the functions that work without a client. */
async function bundleClient(folder: string): Promise<readonly string[]> {
  const client = readFileSync(join(root, 'sdk/testing/programs/web-program.ts'), 'utf8');
  const values = "export { isPlatformError, formatCredits, unfenced, availableActions } from '@agent-platform/sdk';";
  const faults: string[] = [];
  for (const condition of webConditions) {
    for (const [program, maxBytes] of [[client, 60_000] as const, [values, 5_000] as const]) {
      const bundle = bundleForWeb(program, folder, condition).then(gzippedSize, String);
      const found = await bundle;
      if (typeof found === 'string') faults.push(`sdk cannot be bundled for ${condition}: ${found}`);
      else if (found > maxBytes)
        faults.push(`sdk has ${found} bytes in a bundle for ${condition}, at most ${maxBytes}.`);
    }
  }
  return faults;
}

/** Checks that each declaration file has a stable name, and a map that refers to a source in the package. */
async function openSources(folder: string): Promise<readonly string[]> {
  return ['contract', 'sdk'].flatMap((name) => {
    const dist = join(dirname(folder), 'node_modules/@agent-platform', name, 'dist');
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' });
    const hashed = files.filter((file) => /-[\w-]{8}\.d\.[cm]?ts$/.test(file) && /[A-Z\d]/.test(basename(file)));
    const unmapped = files.filter((file) => file.endsWith('.d.ts') && !hasSource(join(dist, `${file}.map`)));
    return [
      ...hashed.map((file) => `${name}: the name of ${file} contains a hash, which changes`),
      ...unmapped.map((file) => `${name}: an editor finds no source of ${file}`),
    ];
  });
}

function hasSource(map: string): boolean {
  if (!existsSync(map)) return false;
  const { sources }: { readonly sources: readonly string[] } = JSON.parse(readFileSync(map, 'utf8'));
  return sources.length > 0 && sources.every((source) => existsSync(join(dirname(map), source)));
}

async function requireThem(folder: string): Promise<readonly string[]> {
  const names = ['', '/box', '/testing'].map((name) => `require('@agent-platform/sdk${name}')`);
  const program = `console.log([${names}].map((loaded) => typeof loaded).join())`;
  const flags = ['--input-type=commonjs', '-e', program];
  const { stdout } = await runProgram(process.execPath, flags, { cwd: folder, env: programEnvironment }).catch(
    (error: Error) => ({
      stdout: error.message,
    }),
  );
  return stdout.trim() === 'object,object,object' ? [] : [`CommonJS loads ${stdout}`];
}

/** The dependencies must not be loaded, because on an old Node.js they would fail with a less helpful message. */
async function importOnOldNode(folder: string): Promise<readonly string[]> {
  const loaded = "Object.values(process.getBuiltinModule('node:module')._cache).filter(({ loaded }) => loaded).length";
  const faults: string[] = [];
  for (const name of ['@agent-platform/sdk', '@agent-platform/sdk/testing']) {
    const program = `await import('${name}').catch((error) => console.log(error.message, ${loaded}))`;
    const flags = ['--import', oldNodeImport, '--input-type=module', '-e', program];
    const { stdout } = await runProgram(process.execPath, flags, { cwd: folder, env: programEnvironment });
    const isRight = /^@agent-platform\/sdk needs Node\.js .* 0\n$/.test(stdout);
    if (!isRight) faults.push(`${name} on Node.js 20 prints: ${stdout}`);
  }
  return faults;
}
