import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { env, execPath } from 'node:process';
import { createInterface } from 'node:readline';
import type { Settings } from '../platform/settings/settings.ts';
import type { ProgressReporter } from './make/dump-commands.ts';
import type { BackupPlan } from './make/make-commands.ts';
import type { Manifest } from './repository/manifest.ts';
import { BackupRefusal } from './repository/refusal.ts';

const program = createRequire(import.meta.url).resolve('@agent-platform/server/backup-worker');

/** Matches environment variables for the PostgreSQL client and Node.js. The worker gets the settings in its request. */
const inherited = /^(PATH|HOME|TZ|TMPDIR|PG[A-Z]+|NODE_COMPILE_CACHE|NODE_EXTRA_CA_CERTS)$/;

/** Matches environment variables from which the AWS SDK reads the access keys of a bucket. */
const ofAmazon = /^AWS_[A-Z0-9_]+$/;

/** Work for a separate process, so that requests do not wait for it. */
export type BackupWorkerRequest =
  | { readonly work: 'make'; readonly plan: BackupPlan; readonly settings: Settings }
  | { readonly work: 'verify'; readonly repository: string; readonly scratch: string; readonly manifest: Manifest };

/** A message of the worker, which writes one per line. */
interface WorkerLine {
  readonly progress?: string;
  readonly result?: unknown;
  readonly refusal?: { readonly code: BackupRefusal['code']; readonly message: string };
  readonly failure?: string;
}

/** Runs work in a separate process. Its result is cast to `T`, because that process runs the same version. */
export async function runBackupWorker<T>(request: BackupWorkerRequest, report: ProgressReporter): Promise<T> {
  const child = spawn(execPath, [program], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: Object.fromEntries(Object.entries(env).filter(([name]) => isInherited(name, request))),
  });
  // Errors are ignored here, because an early exit of the worker is reported below.
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${JSON.stringify(request)}\n`);
  const said = collectErrors(child);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { progress, result, refusal, failure } = JSON.parse(line) as WorkerLine;
      if (progress !== undefined) report(progress);
      if (result !== undefined) return result as T;
      if (refusal !== undefined) throw new BackupRefusal(refusal.code, refusal.message);
      if (failure !== undefined) throw failed(failure);
    }
  } finally {
    child.kill('SIGKILL');
  }
  throw failed(said() || 'its process was killed');
}

function isInherited(name: string, request: BackupWorkerRequest): boolean {
  const findsKeys = request.work === 'make' && request.settings.s3Credentials === 'machine';
  return inherited.test(name) || (findsKeys && ofAmazon.test(name));
}

function failed(reason: string): BackupRefusal {
  const [first = reason] = reason.split('\n');
  return new BackupRefusal('backup_failed', `The backup process failed: ${first}`, new Error(reason));
}

function collectErrors(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text = `${text}${chunk.toString()}`.slice(-4_000);
  });
  return () => text.trim();
}
