import type { ReferencedFile } from '../../attachments/attachment.ts';
import { checkStoredFile } from '../../attachments/damage/check-rounds-commands.ts';
import { type FileFaultDependencies, recordFileFault } from '../../attachments/damage/fault-commands.ts';
import { compareStoredFiles, findFaultyFiles } from '../../attachments/stored-file-queries.ts';
import { BackupRefusal } from '../repository/refusal.ts';
import { type FileRestoreContext, restoreFile } from './restore-files-commands.ts';

/**
 * Replaces damaged and missing stored files with their copies in the backups. The backups need not be trusted, because
 * each copy is compared with the SHA-256 in the database. Files that are intact again are not replaced.
 */
export async function repairFiles(parts: FileFaultDependencies & FileRestoreContext) {
  const { store, storage, report } = parts;
  const { missing } = await compareStoredFiles(store, storage);
  for (const key of missing) await recordFileFault(parts, { key }, { fault: 'missing', reason: 'is missing' });
  const restored: string[] = [];
  const lost: string[] = [];
  for (const file of await findFaultyFiles(store)) {
    if ((await checkStoredFile(parts, file)) === undefined) continue;
    if (!(await findCopy(parts, file))) lost.push(file.key);
    else if (await recordFileFault(parts, file, undefined)) restored.push(file.key);
    // Removes the restored bytes, because retention has removed the file's record in the meantime.
    else await storage.remove(file.key);
    report(`${restored.length} files restored, ${lost.length} not found in a backup`);
  }
  return { restored, lost };
}

async function findCopy(parts: FileRestoreContext, file: ReferencedFile): Promise<boolean> {
  try {
    await restoreFile(parts, file);
    return true;
  } catch (error) {
    if (error instanceof BackupRefusal) return false;
    throw error;
  }
}
