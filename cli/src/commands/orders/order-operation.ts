import { isPlatformError, type OperationOptions, type Order } from '@agent-platform/sdk';
import { Interruption, withHint } from '../../errors/failure.ts';
import type { FileChoice } from '../../options/option-groups.ts';
import { type CardRow, formatCard, type Page } from '../../output/layout.ts';
import type { OpenedAgent } from '../../session/session.ts';
import { uploadFiles, withUploadedFiles } from '../../session/upload-file.ts';
import { findAvailableActions } from './available-actions.ts';
import { formatOrder } from './order-format.ts';

/** The result of an operation on an order: data, and their format. */
export interface OrderReport {
  readonly data: Readonly<Record<string, unknown>>;
  readonly format: (page: Page) => string;
}

interface Operation {
  readonly operationId: string;
  readonly files: FileChoice;
  /** The option that makes a repeat the same operation, beside its id and files. */
  readonly repeatOption: string;
  readonly send: (fileIds: readonly string[], options: OperationOptions) => PromiseLike<Order>;
}

/** Uploads the files, sends the operation, and reports the order. */
export async function carryOut(agent: OpenedAgent, operation: Operation): Promise<OrderReport> {
  const { operationId, files, repeatOption, send } = operation;
  const uploaded = await uploadFiles(agent.platform, files.paths, 'order', agent.io);
  const attached = uploaded.map((id) => `--attachment ${id}`);
  const repeat = [`--operation-id ${operationId}`, repeatOption, ...attached].join(' ');
  const order = withHint(send([...files.ids, ...uploaded], { operationId, signal: agent.signal }), (error) =>
    isOutcomeUnknown(error) ? `To find out the result, repeat the command with ${repeat}` : undefined,
  );
  return await reportOrder(agent, await withUploadedFiles(uploaded, order));
}

/** Reports an order with its available actions. */
export async function reportOrder(agent: OpenedAgent, order: Order): Promise<OrderReport> {
  const actions = await findAvailableActions(order, agent);
  return { data: { ...order }, format: (page) => formatOrder(page, order, agent.me, actions) };
}

interface UnsentRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Reports the request of an operation that is not sent, and its expected result. */
export function reportDryRun(
  { path, body }: UnsentRequest,
  files: FileChoice,
  expected: Readonly<Record<string, unknown>>,
  rows: readonly CardRow[],
): OrderReport {
  const request = { method: 'POST', path, body };
  return {
    data: { dry_run: true, request, files_to_upload: files.paths, ...expected },
    format: (page) =>
      formatCard(page, 'Dry run: nothing was sent', [
        ['request', `${request.method} ${path}`],
        ['body', JSON.stringify(body, undefined, 2)],
        ...files.paths.map((file) => ['would upload', file] as const),
        ...rows,
      ]),
  };
}

function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof Interruption || (isPlatformError(error) && error.code === 'operation_pending');
}
