import { spawn } from 'node:child_process';
import process from 'node:process';
import { fillPlaceholders, splitCommand } from './command-line.ts';

export type HookOutcome =
  | { readonly did: 'work'; readonly text: string }
  | { readonly did: 'fail'; readonly why: string };

const outputMaxBytes = 64 * 1024;
const shownMaxLength = 300;
const drainMs = 1_000;

/**
 * Runs the program of a hook without a shell and waits until it ends. Its output is untrusted: its length is limited
 * here, and the caller validates it.
 */
export function runHook(
  command: string,
  values: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<HookOutcome> {
  const [program = '', ...args] = fillPlaceholders(splitCommand(command) ?? [], values);
  return new Promise((resolve) => {
    // With a separate process group, the child processes of the program can be killed with it.
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const out = collect(child.stdout);
    const err = collect(child.stderr);
    const abandon = () => killGroup(child.pid);
    process.once('exit', abandon);
    let outcome: HookOutcome = { did: 'fail', why: `did not end within ${timeoutMs / 1_000} s` };
    const end = () => {
      clearTimeout(timer);
      process.removeListener('exit', abandon);
      killGroup(child.pid);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(outcome);
    };
    let timer = setTimeout(end, timeoutMs);
    child.once('error', (error) => {
      outcome = { did: 'fail', why: `could not be started: ${error.message}` };
      end();
    });
    child.once('exit', (code, signal) => {
      const how = code === null ? `was ended by ${signal}` : `ended with ${code}`;
      outcome = code === 0 ? { did: 'work', text: '' } : { did: 'fail', why: how };
      clearTimeout(timer);
      // Waits only briefly for the pipes to close, because remaining child processes may keep them open.
      timer = setTimeout(end, drainMs);
    });
    child.once('close', () => {
      if (outcome.did === 'work') outcome = { did: 'work', text: out() };
      else {
        const words = (err() || out()).trim().slice(-shownMaxLength);
        outcome = { did: 'fail', why: words === '' ? outcome.why : `${outcome.why}: ${words}` };
      }
      end();
    });
  });
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    // Excess output is read and discarded, because a full pipe would block the program.
    if (size < outputMaxBytes) chunks.push(chunk.subarray(0, outputMaxBytes - size));
    size += chunk.length;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The program and its child processes have already ended.
  }
}
