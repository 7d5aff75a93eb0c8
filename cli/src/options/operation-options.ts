import { randomUUID } from 'node:crypto';
import { Option } from 'commander';
import { UsageError } from '../errors/failure.ts';
import type { ParsedArguments } from './parsed-arguments.ts';

/** How an operation that moves credits is carried out. */
export interface OperationChoice {
  readonly operationId: string;
  readonly isDryRun: boolean;
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Tells whether a text is a UUID. */
export function isUuid(text: string): boolean {
  return uuidForm.test(text);
}

/** Declares the options of every operation that moves credits. */
export function operationOptions(): Option[] {
  return [
    new Option('--operation-id <uuid>', 'a repeat with the same id has no second effect; default: a random id'),
    new Option('--dry-run', 'send no change; show the request and its expected result'),
  ];
}

/** Reads the options of `operationOptions`. A random id is drawn here, so that an error message can name it. */
export function readOperation(args: ParsedArguments): OperationChoice {
  const operationId = args.text('operation-id') ?? randomUUID();
  if (!isUuid(operationId)) {
    throw new UsageError(`--operation-id "${operationId}" is not a UUID.`, 'For example: --operation-id "$(uuidgen)"');
  }
  return { operationId, isDryRun: args.flag('dry-run') };
}
