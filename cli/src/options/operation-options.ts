import { randomUUID } from 'node:crypto';
import { isPlatformError } from '@agent-platform/sdk';
import { Option } from 'commander';
import { CuredError, UsageError } from '../errors/failure.ts';
import { Interruption } from '../errors/interruption.ts';
import type { Typed } from './parsed-arguments.ts';

/** How a command that moves credits is to be done. */
export interface OperationChoice {
  readonly operationId: string;
  readonly isDryRun: boolean;
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The options of everything that moves credits. */
export function declareOperationOptions(): Option[] {
  return [
    new Option('--operation-id <uuid>', 'the same command with the same id has one effect; else a random one'),
    new Option('--dry-run', 'send nothing that changes anything; show what would be sent and what comes of it'),
  ];
}

/** Reads them. The id is drawn here where none is given, so that a failure can name it. */
export function readOperation(typed: Typed): OperationChoice {
  const operationId = typed.text('operation-id') ?? randomUUID();
  if (!uuidForm.test(operationId)) {
    throw new UsageError(`--operation-id "${operationId}" is not a UUID.`, 'For example: --operation-id "$(uuidgen)"');
  }
  return { operationId, isDryRun: typed.flag('dry-run') };
}

/** Adds to a failure what it takes to repeat the command so that it has one effect at most. */
export function withRepeat(error: unknown, repeat: string): unknown {
  const isUnclear = error instanceof Interruption || (isPlatformError(error) && error.code === 'operation_pending');
  return isUnclear ? new CuredError(error, `To find out, say the same once more with ${repeat}`) : error;
}
