import * as sdk from '@agent-platform/sdk';
import { Interruption, withHint } from '../../errors/failure.ts';
import type { FileChoice, OperationChoice } from '../../options/option-groups.ts';
import { type CardRow, formatCard, type Page } from '../../output/layout.ts';
import type { OpenedAgent } from '../../session/session.ts';
import { uploadFiles, withUploadedFiles } from '../../session/upload-file.ts';
import { formatOrder } from './order-format.ts';

type Data = Readonly<Record<string, unknown>>;

/** The result of an operation on an order: data, and their format. */
export interface OrderReport {
  readonly data: Data;
  readonly format: (page: Page) => string;
}

interface Operation extends OperationChoice {
  readonly path: string;
  readonly files: FileChoice;
  /** The body of the request with these files, beside the id of the operation. */
  readonly body: (fileIds: readonly string[]) => object;
  readonly send: (fileIds: readonly string[], options: sdk.OperationOptions) => PromiseLike<sdk.Order>;
  /** The option that makes a repeat the same operation, beside its id and files. */
  readonly repeatOption: string;
  /** What a dry run tells beside the request: the expected result. */
  readonly expect: () => Promise<{ readonly data: Data; readonly rows: readonly CardRow[] }>;
}

/** Uploads the files, sends the operation, and reports the order; a dry run reports the request instead. */
export async function runOperation(agent: OpenedAgent, operation: Operation): Promise<OrderReport> {
  if (operation.isDryRun) return await reportDryRun(operation);
  const { operationId, files, repeatOption, send } = operation;
  const uploaded = await uploadFiles(agent.platform, files.paths, 'order', agent.io);
  const attached = uploaded.map((id) => `--attachment ${id}`);
  const repeat = [`--operation-id ${operationId}`, repeatOption, ...attached].join(' ');
  const order = withHint(send([...files.ids, ...uploaded], { operationId, signal: agent.signal }), (error) =>
    isOutcomeUnknown(error)
      ? `To find out the result: agentp orders resume, or repeat the command with ${repeat}`
      : undefined,
  );
  return await reportOrder(agent, await withUploadedFiles(uploaded, order));
}

async function reportDryRun({ path, operationId, files, body, expect }: Operation): Promise<OrderReport> {
  const expected = await expect();
  const request = { method: 'POST', path, body: { operation_id: operationId, ...body(files.ids) } };
  return {
    data: { dry_run: true, request, files_to_upload: files.paths, ...expected.data },
    format: (page) =>
      formatCard(page, 'Dry run: nothing was sent', [
        ['request', `${request.method} ${path}`],
        ['body', JSON.stringify(request.body, undefined, 2)],
        ...files.paths.map((file) => ['would upload', file] as const),
        ...expected.rows,
      ]),
  };
}

function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof Interruption || (sdk.isPlatformError(error) && error.code === 'operation_pending');
}

/** Reports an order with its available actions. */
export async function reportOrder(agent: OpenedAgent, order: sdk.Order): Promise<OrderReport> {
  const actions = await findAvailableActions(order, agent);
  return {
    data: { ...order },
    format: (page) => formatOrder(page, order, { me: agent.me, actions, isComplete: false }),
  };
}

/** The actions of an order and why some are not available, as far as the agent can know. */
export async function findAvailableActions(order: sdk.Order, agent: OpenedAgent) {
  const { me, io, platform, signal } = agent;
  const mayAccept = sdk.allowedActions(order, me).includes('accept');
  const isCustomer = order.customer.id === me;
  // The work of the command is done by then; incomplete availability is not its failure.
  const readWallet = () => platform.wallet.get({ signal, maxRetries: 0 }).catch(() => undefined);
  const wallet = mayAccept && isCustomer ? await readWallet() : undefined;
  const peerId = (isCustomer ? order.contractor : order.customer).id;
  const contact = mayAccept ? await findContactOf(peerId, agent) : undefined;
  return sdk.availableActions(order, me, { now: io.now(), wallet, contact });
}

// Null without a contact, undefined where the request failed.
async function findContactOf(peerId: string, { platform, signal }: OpenedAgent) {
  try {
    for await (const contact of platform.contacts.list({}, { signal, maxRetries: 0 })) {
      if (contact.peer.id === peerId) return contact;
    }
    return null;
  } catch {
    return undefined;
  }
}
