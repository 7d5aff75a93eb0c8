import { backupCreate } from './backup-create.ts';
import { backupList } from './backup-list.ts';
import { backupPrune } from './backup-prune.ts';
import { backupRestore } from './backup-restore.ts';
import { backupVerify } from './backup-verify.ts';

/** The commands on backups. */
export const backupCommands = [backupCreate, backupList, backupVerify, backupRestore, backupPrune];
