import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { checkLedger } from '../ledger/ledger-check-queries.ts';
import type { Clock } from '../platform/clock.ts';
import type { ProgressReporter } from './make/dump-commands.ts';
import { writeFileAtomically } from './repository/durable-commands.ts';
import { signedVerificationText, type VerificationRecord } from './repository/manifest.ts';
import { makeUnfinishedFolder, withBackupLock } from './repository/repository-commands.ts';
import { loadManifest, type RequiredSigner, resolveBackupName } from './repository/repository-queries.ts';
import { runBackupWorker } from './run-worker-commands.ts';

type LedgerResult = Awaited<ReturnType<typeof checkLedger>>;

export interface VerifyDependencies {
  readonly clock: Clock;
  readonly repository: string;
  readonly trust: RequiredSigner;
  readonly report: ProgressReporter;
}

/** Verifies a backup in a separate process. Records it as verified if it is signed and its ledger has no faults. */
export async function verifyBackup({ clock, repository, trust, report }: VerifyDependencies, wanted: string) {
  return await withBackupLock(repository, async () => {
    const manifest = await loadManifest(repository, await resolveBackupName(repository, wanted), trust);
    const scratch = await makeUnfinishedFolder(repository, 'scratch');
    try {
      const checked = await runBackupWorker<LedgerResult>({ work: 'verify', repository, scratch, manifest }, report);
      if (checked.faultCount > 0 || trust === 'unsigned') return { manifest, checked, verifiedAt: null };
      const content = { verified_at: clock().toISOString(), manifest_mac: manifest.mac };
      const verified: VerificationRecord = { ...content, mac: trust.sign(signedVerificationText(content)) };
      await writeFileAtomically(join(repository, manifest.name, 'verified.json'), `${JSON.stringify(verified)}\n`);
      return { manifest, checked, verifiedAt: verified.verified_at };
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  });
}
