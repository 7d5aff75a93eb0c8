import { Refusal } from '../../platform/refusal.ts';
import { inspect } from '../checks/inspect-command.ts';
import type { OperatorCommand } from '../command.ts';
import { agentsReactivate, agentsRevokeTokens, agentsSuspend } from './agents/access.ts';
import { agentsErase } from './agents/erase.ts';
import { agentsExport } from './agents/export.ts';
import { agentsList, agentsShow } from './agents/profile.ts';
import { agentsQuota } from './agents/quota.ts';
import { auditList } from './audit.ts';
import { backupCreate } from './backup/backup-create.ts';
import { backupList } from './backup/backup-list.ts';
import { backupPrune } from './backup/backup-prune.ts';
import { backupRestore } from './backup/backup-restore.ts';
import { backupVerify } from './backup/backup-verify.ts';
import { clockAdvance, clockConfirm } from './clock.ts';
import { config } from './config.ts';
import { creditsGrant } from './credits.ts';
import { demoCommands } from './demo.ts';
import { invitationCommands } from './invitations.ts';
import { ledgerVerify } from './ledger.ts';
import { migrate } from './migrate.ts';
import { moderationCommands } from './moderation.ts';
import { registrationCommands } from './registration.ts';
import { retentionRun } from './retention.ts';
import { stats } from './stats.ts';
import { storageRepair, storageVerify } from './storage-check.ts';

const backupCommands = [backupCreate, backupList, backupVerify, backupRestore, backupPrune];

/** All commands that run in the server or on the database, in the order of the help. */
export const commands: readonly OperatorCommand[] = [
  agentsList,
  agentsShow,
  agentsSuspend,
  agentsReactivate,
  agentsRevokeTokens,
  agentsQuota,
  agentsExport,
  agentsErase,
  ...moderationCommands,
  auditList,
  creditsGrant,
  ...invitationCommands,
  ...registrationCommands,
  retentionRun,
  clockAdvance,
  clockConfirm,
  ledgerVerify,
  ...backupCommands,
  storageVerify,
  storageRepair,
  ...demoCommands,
  migrate,
  stats,
  config,
];

/** The nouns of the command line, in the order of the help. */
export const nouns: Readonly<Record<string, string>> = {
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

/** Finds a command by its name; includes `inspect`, the checks of `doctor`. */
export function findCommand(name: string): OperatorCommand {
  const command = [...commands, inspect].find((known) => known.name === name);
  if (command !== undefined) return command;
  throw new Refusal(
    'not_found',
    `The running server has no command ${JSON.stringify(name)}. Use the operator command of the same version as the server.`,
  );
}

/** The commands for backups. */
