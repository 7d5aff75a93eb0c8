import { setTimeout as delay } from 'node:timers/promises';
import { toVisibleLine } from '@agent-platform/cli-core/output/visible-text';
import type { ActJournal } from '@agent-platform/sdk/approvals';
import {
  type Consent,
  declined,
  executeTool,
  isOrderCommand,
  makeConsent,
  type PlannedAct,
  type Policy,
  type PreparedTool,
  type Result,
  type ToolContext,
  ToolFailure,
  toToolError,
} from '@agent-platform/sdk/tools';
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ApprovalPageServer } from '../http/approval-page.ts';
import type { RunningCalls } from './running-calls.ts';
import type { RequestSealer, SealedRequest } from './sealed-request.ts';

/** The objects and options that all calls of a server process share. */
export interface ToolServerContext {
  readonly context: Omit<ToolContext, 'signal'>;
  readonly policy: Policy;
  readonly sealer: RequestSealer;
  readonly journal: ActJournal;
  readonly page: ApprovalPageServer;
  readonly running: RunningCalls;
  /** The `agentp` profile, for the command lines that the user is asked to run. */
  readonly profile: string | undefined;
  readonly report: (line: string) => void;
}

export interface ToolCall {
  readonly tool: PreparedTool;
  readonly values: unknown;
  readonly request: ServerContext['mcpReq'];
  /** Whether the client received output schemas in its list of tools. */
  readonly hasOutputSchemas: boolean;
  /** How the client can ask its user: with a form, or by opening an address. */
  readonly modes: { readonly form: boolean; readonly url: boolean };
}

/** Executes a call. If the tool fails, the result contains the error. */
export async function callTool(
  server: ToolServerContext,
  call: ToolCall,
): Promise<CallToolResult | InputRequiredResult> {
  const context = { ...server.context, signal: call.request.signal };
  try {
    const outcome = await executeTool(call.tool, call.values, context, consentOf(server, call));
    return 'pending' in outcome ? outcome.pending : toCallResult(outcome.result, call.hasOutputSchemas);
  } catch (error) {
    const shown = { error: toToolError(error, server.report) };
    return { isError: true, content: [{ type: 'text', text: JSON.stringify(shown) }] };
  }
}

// Every client passes a result's text to its model, but only some also pass its structured content. Only tools with
// an output schema must return structured content; their text does not repeat it.
function toCallResult({ picture, ...result }: Result, hasOutputSchemas: boolean): CallToolResult {
  const { media_type: mimeType, data } = Object(picture);
  const pictures = data === undefined ? [] : [{ type: 'image' as const, mimeType, data }];
  const text = hasOutputSchemas ? 'The result is the structured content.' : JSON.stringify(result);
  const structure = hasOutputSchemas && { structuredContent: result };
  return { content: [{ type: 'text', text }, ...pictures], ...structure };
}

/** Obtains consent from the policy chosen at the start, an earlier decision, or the user's answer to a question. */
function consentOf(server: ToolServerContext, call: ToolCall): Consent<CallToolResult | InputRequiredResult> {
  const { journal } = server;
  const sealed = call.request.requestState<SealedRequest>();
  const consent = makeConsent(server, async (act, question) => ({
    pending: await askUser(server, call, act, question, sealed !== undefined),
  }));
  if (sealed === undefined) return consent;
  return {
    ...consent,
    findApproved: async (tool, name) => {
      checkAnswer(server, call, sealed, name);
      if (sealed.approval !== undefined) {
        await waitForDecision(server, sealed.approval, call.request.signal);
        return journal.find(name);
      }
      if (isOrderCommand(tool)) journal.store({ call: name, facts: sealed.facts });
      return sealed.facts;
    },
  };
}

/** Throws unless this process asked the user about this call and the user accepted. An answer can be used only once. */
function checkAnswer(
  { sealer, journal }: ToolServerContext,
  { request }: ToolCall,
  sealed: SealedRequest,
  name: string,
): void {
  if (!sealer.take(sealed, name)) {
    throw new ToolFailure(
      'confirmation_invalid',
      'This confirmation was already used, or belongs to another call; nothing was sent.',
      'Call the tool again, without a confirmation.',
    );
  }
  const answer = inputResponse(request.inputResponses, 'confirmation');
  if (answer.kind === 'elicit' && answer.action === 'accept') return;
  if (sealed.approval !== undefined) journal.approvals.withdraw(sealed.approval);
  if (answer.kind === 'elicit' && answer.action === 'cancel') {
    const message = 'The question was closed without an answer; nothing was sent.';
    throw new ToolFailure('not_answered', message, 'Ask the user whether you should try again.');
  }
  throw declined();
}

const pollEveryMs = 250;
// Less than the 60 s after which clients give up. A later decision applies to the next call.
const decisionWithinMs = 45_000;

/** Waits until an approval is decided, on its page or on a terminal. */
async function waitForDecision(
  { journal, context }: ToolServerContext,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const endsAt = performance.now() + decisionWithinMs;
  while (journal.approvals.get(context.me.id, id).state === 'waiting' && performance.now() < endsAt) {
    await delay(pollEveryMs, undefined, { signal });
  }
}

/** Longer questions are not asked in a form: people do not read them. Real ones have at most a tenth of this. */
const questionMaxLength = 100_000;

/** Asks with a form if possible. Otherwise stores the act, and asks on a local web page or on a terminal. */
async function askUser(
  { context, journal, page, profile, sealer }: ToolServerContext,
  { modes, hasOutputSchemas }: ToolCall,
  act: PlannedAct,
  question: string,
  hasAnswered: boolean,
): Promise<CallToolResult | InputRequiredResult> {
  const { call, plan } = act;
  // Characters that a form would hide or reverse are shown as code points.
  const message = toVisibleLine(`${question} (agent: ${context.me.handle})`);
  if (modes.form && message.length <= questionMaxLength) {
    // The form has no fields, because its button is the answer.
    const requestedSchema = { type: 'object', properties: {} } as const;
    return inputRequired({
      inputRequests: { confirmation: inputRequired.elicit({ message, requestedSchema }) },
      requestState: await sealer.codec.mint({ call, facts: plan.facts }),
    });
  }
  const { id, expires_at } = journal.approvals.propose(act, question);
  const url = modes.url && !hasAnswered ? await page.addressOf(id).catch(() => undefined) : undefined;
  if (url !== undefined) {
    const title = `Review what the agent ${context.me.handle} is about to do, and decide on a page of this machine.`;
    return inputRequired({
      inputRequests: { confirmation: inputRequired.elicitUrl({ message: title, url }) },
      requestState: await sealer.codec.mint({ call, facts: plan.facts, approval: id }),
    });
  }
  const command = `agentp approvals approve ${id}${profile === undefined ? '' : ` --profile ${profile}`}`;
  const next = `Nothing was sent: the user has to approve it. Tell the user to run on a terminal: ${command}. Do not run it yourself. After that, make the same call again; it is carried out once.`;
  return toCallResult({ approval: { state: 'waiting', message: next, id, expires_at } }, hasOutputSchemas);
}
