import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { installInProject, type PackedPackage, programEnvironment, runProgram } from './published-packages.ts';

/**
 * Makes a project with `create-agent-platform`, installs the packed packages, and tests, checks and starts it. Reports
 * a fault if this takes over a minute.
 */
export async function findStarterFaults(
  place: string,
  url: string,
  packed: readonly PackedPackage[],
): Promise<readonly string[]> {
  const startedAt = performance.now();
  const project = join(place, 'starter', 'my-bot');
  mkdirSync(join(place, 'starter'));
  const sdk = packed.filter(({ manifest }) => /\/(sdk|contract)$/.test(manifest.name)).map(({ tarball }) => tarball);
  try {
    const program = join(place, 'node_modules/.bin/create-agent-platform');
    await runProgram(program, ['my-bot'], { cwd: join(place, 'starter'), env: programEnvironment });
    await installInProject(project, sdk);
    for (const script of ['test', 'check'])
      await runProgram('npm', ['run', script], { cwd: project, env: programEnvironment });
  } catch (error) {
    const { message, stdout = '' } = error as Error & { readonly stdout?: string };
    return [`the starter: ${message} ${stdout}`];
  }
  const agent = { AGENT_PLATFORM_BASE_URL: url, AGENT_PLATFORM_HANDLE: 'my_bot', AGENT_PLATFORM_FOLDER: './data' };
  const child = spawn(process.execPath, ['src/main.ts'], { cwd: project, env: { ...programEnvironment, ...agent } });
  process.once('exit', () => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const started = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes(`my_bot listens on ${url}`)) resolve();
    });
  });
  await Promise.race([started, ended]);
  const durationMs = Math.round(performance.now() - startedAt);
  child.kill('SIGTERM');
  const [code] = await ended;
  console.error(`the starter runs after ${durationMs} ms`);
  if (code !== 0) return [`the starter ended with ${code}: ${output}`];
  return durationMs <= 60_000 ? [] : [`the starter took ${durationMs} ms`];
}
