import { toVisibleLine } from '@agent-platform/cli-core/output/visible-text';
import { ApiError, isPlatformError } from '@agent-platform/sdk';
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ActJournal } from '../confirmation/act-journal.ts';
import { judge, type Policy } from '../confirmation/policy.ts';
import { nameCall, type SealedRequest, type Sealer } from '../confirmation/sealed-request.ts';
import { ToolFailure } from '../tool-failure.ts';
import {
  type ConfirmedTool,
  type Facts,
  Input,
  type Plan,
  type Result,
  type Tool,
  type ToolContext,
} from '../tools/tool.ts';
import type { RunningCalls } from './running-calls.ts';
import { toErrorResult } from './tool-error.ts';

/** The environment of all calls of one server process. */
export interface ToolServer {
  readonly context: Omit<ToolContext, 'signal'>;
  readonly policy: Policy;
  readonly sealer: Sealer;
  readonly journal: ActJournal;
  readonly running: RunningCalls;
  /** The profile of `agentp`, for the line that a person copies. */
  readonly profile: string | undefined;
  readonly report: (line: string) => void;
}

/** One call of a tool. */
export interface Call {
  readonly tool: Tool & { readonly checkInput: (values: unknown) => unknown };
  readonly values: unknown;
  readonly request: ServerContext['mcpReq'];
  /** Whether the client can show a form to its user. */
  readonly canConfirm: boolean;
}

/** Executes a call; a failure is a result too. */
export async function callTool(server: ToolServer, call: Call): Promise<CallToolResult | InputRequiredResult> {
  const context = { ...server.context, signal: call.request.signal };
  try {
    const { tool } = call;
    const input = new Input(tool.checkInput(call.values));
    if ('run' in tool) return toResult(await tool.run(input, context));
    return await callConfirmed(server, { ...call, tool }, input, context);
  } catch (error) {
    return toErrorResult(error, server.report);
  }
}

type ConfirmedCall = Call & { readonly tool: ConfirmedTool };

async function callConfirmed(
  server: ToolServer,
  call: ConfirmedCall,
  input: Input,
  context: ToolContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { tool, request } = call;
  const name = nameCall(tool.name, input);
  const sealed = request.requestState<SealedRequest>();
  if (sealed !== undefined) {
    checkAnswer(server.sealer, call, sealed, name);
    return await carryOut(server, tool, input, context, { call: name, facts: sealed.facts }, 'store');
  }
  const begun = server.journal.find(name);
  if (begun !== undefined) return await send(server, tool, input, context, begun);
  const plan = await tool.plan(input, context);
  const act = { call: name, facts: plan.facts };
  const verdict = judge(plan.classes, server.policy);
  if (verdict === 'passes') return await carryOut(server, tool, input, context, act, 'store');
  if (verdict === 'limit' && server.journal.reserve(act, server.policy.spendLimitMinor)) {
    return await carryOut(server, tool, input, context, act, 'stored');
  }
  return await requestConfirmation(server, call, plan, act);
}

/** Refuses every answer except one acceptance of a question of this process about this call. */
function checkAnswer(sealer: Sealer, { request }: ConfirmedCall, sealed: SealedRequest, name: string): void {
  if (!sealer.take(sealed, name)) {
    throw new ToolFailure(
      'confirmation_invalid',
      'This confirmation was already used, or belongs to another call; nothing was sent.',
      'Call the tool again, without a confirmation.',
    );
  }
  const answer = inputResponse(request.inputResponses, 'confirmation');
  if (answer.kind === 'elicit' && answer.action === 'accept' && answer.content?.['confirm'] === true) return;
  if (answer.kind === 'elicit' && answer.action === 'cancel') {
    const message = 'The question was closed without an answer; nothing was sent.';
    throw new ToolFailure('not_answered', message, 'Ask the user whether you should try again.');
  }
  throw new ToolFailure('not_confirmed', 'The user declined; nothing was sent.', 'Do not try to get around it.');
}

/** A question of more characters would not be read. The largest texts of one act have a tenth of it. */
const questionMaxLength = 100_000;
const tooMuch = 'The content to publish is too long for one question; nothing was sent.';

async function requestConfirmation(
  server: ToolServer,
  { canConfirm }: ConfirmedCall,
  { question, commandLine, commandText }: Plan,
  sealed: SealedRequest,
): Promise<InputRequiredResult> {
  // Characters that a form would hide or reverse are shown as code points.
  const message = toVisibleLine(`${question} (agent: ${server.context.me.handle})`);
  const isTooLong = question === undefined || message.length > questionMaxLength;
  if (!canConfirm || isTooLong) {
    const line = terminalLine(server.profile, commandLine, commandText);
    const hint =
      line === undefined
        ? 'The user can do it with agentp on a terminal.'
        : `The user can do it on a terminal: ${line}`;
    if (canConfirm) throw new ToolFailure('too_much_to_confirm', tooMuch, hint);
    throw new ToolFailure(
      'confirmation_unavailable',
      "This requires the user's confirmation, which this client cannot request; nothing was sent.",
      hint,
    );
  }
  return inputRequired({
    inputRequests: {
      confirmation: inputRequired.elicit({
        message,
        requestedSchema: {
          type: 'object',
          properties: { confirm: { type: 'boolean', title: 'Confirm', description: 'Do exactly this, once.' } },
          required: ['confirm'],
        },
      }),
    },
    requestState: await server.sealer.codec.mint(sealed),
  });
}

async function carryOut(
  server: ToolServer,
  tool: ConfirmedTool,
  input: Input,
  context: ToolContext,
  act: SealedRequest,
  place: 'store' | 'stored',
): Promise<CallToolResult> {
  // Only order commands have an idempotency key with which a repeated call can continue them.
  if (place === 'store' && isOrderCommand(tool)) server.journal.store(act);
  return await send(server, tool, input, context, act.facts);
}

async function send(
  { journal }: ToolServer,
  tool: ConfirmedTool,
  input: Input,
  context: ToolContext,
  facts: Facts,
): Promise<CallToolResult> {
  try {
    const result = await tool.send(input, facts, context);
    if (isOrderCommand(tool)) journal.settle(facts.operation_id, { orderId: orderIdOf(result) });
    return toResult(result);
  } catch (error) {
    if (isOrderCommand(tool) && isRefusal(error)) journal.settle(facts.operation_id, 'refused');
    throw error;
  }
}

// These concern the caller and the time. An earlier request of the same act may have taken effect.
const passingStatuses: ReadonlySet<number> = new Set([401, 408, 429]);

/** Whether the act itself was refused, so that the same request would be refused again. Every other failure leaves its outcome open. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof ApiError)) return isPlatformError(error) && error.code === 'invalid_option';
  return error.code !== 'unknown' && error.status < 500 && !passingStatuses.has(error.status);
}

function isOrderCommand({ name }: Tool): boolean {
  return name.startsWith('orders_');
}

function orderIdOf({ order }: Result): string {
  return String(Reflect.get(Object(order), 'id'));
}

function toResult(result: Result): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: { ...result } };
}

/**
 * The line with which a person does the same on a terminal, for a POSIX shell. It confirms nothing by itself; undefined
 * for words that a terminal would not show as they are.
 *
 * @param text a free text as the argument of the command; it is never taken for an option
 */
export function terminalLine(profile: string | undefined, words: readonly string[], text?: string): string | undefined {
  const options = profile === undefined ? [] : ['--profile', profile];
  const all = [...words, ...options, ...(text === undefined ? [] : ['--', text])];
  return all.some((word) => toVisibleLine(word) !== word) ? undefined : ['agentp', ...all.map(quote)].join(' ');
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
