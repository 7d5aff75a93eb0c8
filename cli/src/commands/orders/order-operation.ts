import { Interruption, withHint } from '@agent-platform/cli-core/errors/failure';
import type { FileSelection, OperationSelection } from '@agent-platform/cli-core/options/option-groups';
import { type CardRow, formatCard, type TextLayout } from '@agent-platform/cli-core/output/layout';
import { findContact } from '@agent-platform/cli-core/session/find-agent';
import type { OpenedAgent } from '@agent-platform/cli-core/session/session';
import { addUploadHintOnFailure, uploadFiles } from '@agent-platform/cli-core/session/upload-file';
import * as sdk from '@agent-platform/sdk';
import { findFileProblems, type OperationProblem } from './dry-run.ts';
import { type CreditCommitment, findPolicyProblems, sendWithinPolicy } from './obey-policy.ts';
import { formatOrder } from './order-format.ts';

type Data = Readonly<Record<string, unknown>>;

export interface OrderReport {
  readonly data: Data;
  readonly format: (page: TextLayout) => string;
}

interface Expected {
  readonly data: Data;
  readonly rows: readonly CardRow[];
  readonly problems: readonly OperationProblem[];
  /** Problems that may prevent a later step. */
  readonly warnings: readonly OperationProblem[];
}

interface Operation extends OperationSelection {
  readonly path: string;
  readonly files: FileSelection;
  /** The request body with these files, without the operation id. */
  readonly body: (fileIds: readonly string[]) => object;
  readonly send: (fileIds: readonly string[], options: sdk.OperationOptions) => PromiseLike<sdk.Order>;
  /** Present if the operation commits credits of this agent. */
  readonly commitment?: CreditCommitment | undefined;
  /** The option that a repeat of this operation needs in addition to its id and files. */
  readonly repeatOption: string;
  /** The expected result and the problems that a dry run reports in addition to the request. */
  readonly expect: () => Promise<Expected>;
}

/** Uploads the files, sends the operation and reports the order; a dry run only reports the request. */
export async function runOperation(agent: OpenedAgent, operation: Operation): Promise<OrderReport> {
  if (operation.isDryRun) return await reportDryRun(agent, operation);
  const { operationId, files, repeatOption, commitment } = operation;
  const uploaded = await uploadFiles(agent.platform, files.paths, 'order', agent.io);
  const attached = uploaded.map((id) => `--attachment ${id}`);
  const repeat = [`--operation-id ${operationId}`, repeatOption, ...attached].join(' ');
  const send = () => operation.send([...files.ids, ...uploaded], { operationId, signal: agent.signal });
  const sent = commitment === undefined ? send() : sendWithinPolicy(agent, operationId, commitment, send);
  const order = withHint(sent, (error) =>
    isOutcomeUnknown(error)
      ? `To find out the result: agentp orders resume, or repeat the command with ${repeat}`
      : undefined,
  );
  return await makeOrderReport(agent, await addUploadHintOnFailure(uploaded, order));
}

async function reportDryRun(
  agent: OpenedAgent,
  { path, operationId, files, body, commitment, expect }: Operation,
): Promise<OrderReport> {
  const expected = await expect();
  const problems = [
    ...expected.problems,
    ...(await findFileProblems(agent, files)),
    ...(commitment === undefined ? [] : await findPolicyProblems(agent, operationId, commitment)),
  ];
  const outcome: readonly CardRow[] =
    problems.length === 0
      ? [['outcome', { text: 'would be accepted', paint: 'green' }]]
      : problems.map(({ code, message }) => ['would be refused', { text: `${message} (${code})`, paint: 'red' }]);
  const warnings = expected.warnings.map(({ code, message }): CardRow => ['but', `${message} (${code})`]);
  const request = { method: 'POST', path, body: { operation_id: operationId, ...body(files.ids) } };
  return {
    data: {
      dry_run: true,
      request,
      files_to_upload: files.paths,
      would_succeed: problems.length === 0,
      problems,
      warnings: expected.warnings,
      ...expected.data,
    },
    format: (page) =>
      formatCard(page, 'Dry run: nothing was sent', [
        ['request', `${request.method} ${path}`],
        ['body', JSON.stringify(request.body, undefined, 2)],
        ...files.paths.map((file) => ['would upload', file] as const),
        ...expected.rows,
        ...outcome,
        ...warnings,
      ]),
  };
}

function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof Interruption || (sdk.isPlatformError(error) && error.code === 'operation_pending');
}

export async function makeOrderReport(agent: OpenedAgent, order: sdk.Order): Promise<OrderReport> {
  const actions = await loadActionAvailability(order, agent);
  return {
    data: { ...order },
    format: (page) => formatOrder(page, order, { ...agent, actions, isComplete: false }),
  };
}

/** Lists all actions of an order, with the reason for each impossible one, as far as the agent can determine it. */
export async function loadActionAvailability(order: sdk.Order, agent: OpenedAgent) {
  // The command's main work is done, so a failed read must not make the command fail.
  const facts = await readFacts(order, agent, (request) => request.catch(() => undefined));
  return sdk.availableActions(order, agent.me, facts);
}

/** Like `loadActionAvailability`, but throws if a request fails. */
export async function loadActionAvailabilityOrThrow(order: sdk.Order, agent: OpenedAgent) {
  return sdk.availableActions(order, agent.me, await readFacts(order, agent, (request) => request));
}

type Attempt = <T>(request: Promise<T>) => Promise<T | undefined>;

async function readFacts(
  order: sdk.Order,
  { me, io, platform, signal }: OpenedAgent,
  attempt: Attempt,
): Promise<sdk.ActionContext> {
  const mayAccept = sdk.allowedActions(order, me).includes('accept');
  if (!mayAccept) return { now: io.now() };
  const isCustomer = order.customer.id === me;
  const options = { signal, maxRetries: 0 };
  const wallet = isCustomer ? await attempt(platform.wallet.get(options).then((found) => found)) : undefined;
  const peerId = (isCustomer ? order.contractor : order.customer).id;
  const contact = await attempt(findContact(platform, peerId, options).then((found) => found ?? null));
  return { now: io.now(), wallet, contact };
}
