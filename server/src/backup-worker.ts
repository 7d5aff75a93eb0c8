import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { openStorage } from './attachments/attachments-setup.ts';
import type { ProgressReporter } from './backup/make/dump-commands.ts';
import { makeBackup } from './backup/make/make-commands.ts';
import { BackupRefusal } from './backup/repository/refusal.ts';
import type { BackupWorkerRequest } from './backup/run-worker-commands.ts';
import { verifyBackupContent } from './backup/verify-content-commands.ts';

// The program that makes and verifies backups, started by the server or by an operator command. It reads its request
// from the first line of stdin. It exits when its parent process ends, because that closes stdin.
process.umask(0o077);
setPriority(10);
const say = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);
const lines = createInterface({ input: process.stdin });
lines.once('close', () => process.exit(1));
lines.once('line', async (line) => {
  const answer = await answerRequest(JSON.parse(line) as BackupWorkerRequest, (progress) => say({ progress })).then(
    (result) => ({ result }),
    (error: unknown) => {
      if (error instanceof BackupRefusal) return { refusal: { code: error.code, message: error.message } };
      const stack = error instanceof Error ? error.stack : undefined;
      return { failure: stack ?? String(error) };
    },
  );
  process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0));
});

async function answerRequest(request: BackupWorkerRequest, report: ProgressReporter): Promise<object> {
  if (request.work === 'make') return await makeBackup(request.plan, openStorage(request.settings), report);
  return await verifyBackupContent(request, request.manifest, report);
}
