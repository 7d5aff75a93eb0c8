import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { checkLedger } from '../ledger/ledger-check-queries.ts';
import type { Clock } from '../platform/clock.ts';
import type { Report } from './make/dump-commands.ts';
import { runWorker } from './run-worker-commands.ts';
import { writeWhole } from './shelf/durable-commands.ts';
import { type Verified, verifiedText } from './shelf/manifest.ts';
import { makeUnfinished, withShelf } from './shelf/shelf-commands.ts';
import { findName, loadManifest, type Trust } from './shelf/shelf-queries.ts';

type LedgerResult = Awaited<ReturnType<typeof checkLedger>>;

/** With what a backup is verified. */
export interface VerifyParts {
  readonly clock: Clock;
  readonly shelf: string;
  readonly trust: Trust;
  readonly report: Report;
}

/** Verifies a backup in a separate process. Records that a signed backup is intact, or throws a refusal with the reason. */
export async function verifyBackup({ clock, shelf, trust, report }: VerifyParts, wanted: string) {
  return await withShelf(shelf, async () => {
    const manifest = await loadManifest(shelf, await findName(shelf, wanted), trust);
    const scratch = await makeUnfinished(shelf, 'scratch');
    try {
      const checked = await runWorker<LedgerResult>({ work: 'verify', shelf, scratch, manifest }, report);
      if (checked.faultCount > 0 || trust === 'unsigned') return { manifest, checked, verifiedAt: null };
      const content = { verified_at: clock().toISOString(), manifest_mac: manifest.mac };
      const verified: Verified = { ...content, mac: trust.sign(verifiedText(content)) };
      await writeWhole(join(shelf, manifest.name, 'verified.json'), `${JSON.stringify(verified)}\n`);
      return { manifest, checked, verifiedAt: verified.verified_at };
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  });
}
