import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { inheritedEnvironment } from './inherited-environment.ts';

const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));

/** Node.js flags that reduce the processor time of short-lived processes by a third. */
export const quickStartFlags = ['--single-threaded-gc', '--max-lazy', '--liftoff-only', '--initial-heap-size=128'];

export type ServerProcess = Awaited<ReturnType<typeof startServerProcess>>;

// With isolation, each server would run Node.js at its start to detect the available kind. Upload tests enable it.
const ownSettings = { PORT: '0', PLATFORM_UPLOAD_ISOLATION: 'off' };

/** These servers are killed when this process exits. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** `env` contains the settings; `args` are passed to Node.js. Resolves when the server is ready. */
export async function startServerProcess(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [...quickStartFlags, main],
) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...inheritedEnvironment(), ...ownSettings, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let output = '';
  const collect = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const url = await new Promise<string>((resolve, reject) => {
    const findAddress = () => {
      const ready = /"url":"([^"]+)".*"msg":"ready"/.exec(output);
      if (ready?.[1] === undefined) return;
      child.stdout.off('data', findAddress);
      resolve(ready[1]);
    };
    child.stdout.on('data', findAddress);
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}:\n${output}`)));
  });
  const end = (signal: NodeJS.Signals) => endProcess(child, signal);
  const ready = await fetch(`${url}/health/ready`).catch((error: unknown) => ({ ok: false, status: String(error) }));
  if (!ready.ok) {
    // Otherwise, the server would occupy the port that the next attempt needs.
    await end('SIGKILL');
    throw new Error(`The server is not ready: ${ready.status}`);
  }
  const readyAfterMs = performance.now() - startedAt;
  return { url, child, readyAfterMs, output: () => output, end };
}

async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal);
    await once(child, 'exit');
  }
  return child.exitCode ?? child.signalCode;
}
