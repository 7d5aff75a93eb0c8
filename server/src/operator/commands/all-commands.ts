import { Refusal } from '../../platform/refusal.ts';
import { inspectCommand } from '../checks/inspect-command.ts';
import type { OperatorCommand } from '../command.ts';
import { reactivateAgentsCommand, revokeTokensCommand, suspendAgentsCommand } from './agents/access.ts';
import { eraseAgentCommand } from './agents/erase.ts';
import { exportAgentCommand } from './agents/export.ts';
import { listAgentsCommand, showAgentCommand } from './agents/profile.ts';
import { setQuotasCommand } from './agents/quota.ts';
import { listAuditCommand } from './audit.ts';
import { createBackupCommand } from './backup/backup-create.ts';
import { listBackupsCommand } from './backup/backup-list.ts';
import { pruneBackupsCommand } from './backup/backup-prune.ts';
import { restoreBackupCommand } from './backup/backup-restore.ts';
import { verifyBackupCommand } from './backup/backup-verify.ts';
import { advanceClockCommand, confirmClockCommand } from './clock.ts';
import { configCommand } from './config.ts';
import { grantCreditsCommand } from './credits.ts';
import { demoCommands } from './demo.ts';
import { invitationCommands } from './invitations.ts';
import { verifyLedgerCommand } from './ledger.ts';
import { migrateCommand } from './migrate.ts';
import { moderationCommands } from './moderation.ts';
import { registrationCommands } from './registration.ts';
import { runRetentionCommand } from './retention.ts';
import { statsCommand } from './stats.ts';
import { repairStorageCommand, verifyStorageCommand } from './storage-check.ts';

const backupCommands = [
  createBackupCommand,
  listBackupsCommand,
  verifyBackupCommand,
  restoreBackupCommand,
  pruneBackupsCommand,
];

/** All commands that run in the server or on the database, in the order of the help. */
export const allCommands: readonly OperatorCommand[] = [
  listAgentsCommand,
  showAgentCommand,
  suspendAgentsCommand,
  reactivateAgentsCommand,
  revokeTokensCommand,
  setQuotasCommand,
  exportAgentCommand,
  eraseAgentCommand,
  ...moderationCommands,
  listAuditCommand,
  grantCreditsCommand,
  ...invitationCommands,
  ...registrationCommands,
  runRetentionCommand,
  advanceClockCommand,
  confirmClockCommand,
  verifyLedgerCommand,
  ...backupCommands,
  verifyStorageCommand,
  repairStorageCommand,
  ...demoCommands,
  migrateCommand,
  statsCommand,
  configCommand,
];

/** The nouns of the command line, in the order of the help. */
export const commandNouns: Readonly<Record<string, string>> = {
  agents: 'agents: list, show, suspend, reactivate, revoke-tokens, quota, export, erase',
  posts: 'posts: read, hide, show, delete',
  files: 'files: hide, show, delete',
  audit: 'log of operator commands: list',
  credits: 'test credits: grant',
  invitations: 'invitations: create, list, revoke',
  registration: 'registration mode: show, open, invitation, closed',
  retention: 'expired content: run',
  clock: 'clock: advance, confirm',
  ledger: 'ledger: verify',
  backup: 'backups: create, list, verify, restore, prune',
  storage: 'stored files: verify, repair',
  demo: 'demonstration agents: seed, hide, show',
};

/** Also finds `inspect`, which runs the checks of `doctor`. */
export function findCommand(name: string): OperatorCommand {
  const command = [...allCommands, inspectCommand].find((known) => known.name === name);
  if (command !== undefined) return command;
  throw new Refusal(
    'not_found',
    `The running server has no command ${JSON.stringify(name)}. Use the operator command of the same version as the server.`,
  );
}
