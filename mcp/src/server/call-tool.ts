import { toVisibleLine } from '@agent-platform/cli-core/output/visible-text';
import {
  type Consent,
  executeTool,
  isOrderCommand,
  type PlannedAct,
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
import type { ActJournal } from '../confirmation/act-journal.ts';
import { judge, type Policy } from '../confirmation/policy.ts';
import type { SealedRequest, Sealer } from '../confirmation/sealed-request.ts';
import type { RunningCalls } from './running-calls.ts';

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
  readonly tool: PreparedTool;
  readonly values: unknown;
  readonly request: ServerContext['mcpReq'];
  /** Whether the client knows the form of results. */
  readonly hasOutputSchemas: boolean;
  /** Whether the client can show a form to its user. */
  readonly canConfirm: boolean;
}

/** Executes a call; a failure is a result too. */
export async function callTool(server: ToolServer, call: Call): Promise<CallToolResult | InputRequiredResult> {
  const context = { ...server.context, signal: call.request.signal };
  try {
    const outcome = await executeTool(call.tool, call.values, context, consentOf(server, call));
    if ('pending' in outcome) return outcome.pending;
    return toCallResult(outcome.result, call.hasOutputSchemas);
  } catch (error) {
    const shown = { error: toToolError(error, server.report) };
    return { isError: true, content: [{ type: 'text', text: JSON.stringify(shown) }] };
  }
}

// Every client gives the text to its model, and not every one the structure; where it has asked for structure, the text
// would only repeat it. The protocol demands structure of tools with an output schema, and of no other.
function toCallResult({ picture, ...result }: Result, hasOutputSchemas: boolean): CallToolResult {
  const { media_type: mimeType, data } = Object(picture);
  const pictures = data === undefined ? [] : [{ type: 'image' as const, mimeType, data }];
  const text = hasOutputSchemas ? 'The result is the structured content.' : JSON.stringify(result);
  const structure = hasOutputSchemas && { structuredContent: result };
  return { content: [{ type: 'text', text }, ...pictures], ...structure };
}

/** The consent of the person at the client: an answer to a question, or the policy that was fixed at the start. */
function consentOf(server: ToolServer, call: Call): Consent<InputRequiredResult> {
  const { journal, policy, sealer } = server;
  return {
    findApproved: async (tool, name) => {
      const sealed = call.request.requestState<SealedRequest>();
      if (sealed === undefined) return journal.find(name);
      checkAnswer(sealer, call, sealed, name);
      if (isOrderCommand(tool)) journal.store({ call: name, facts: sealed.facts });
      return sealed.facts;
    },
    decide: async ({ tool, call: name, plan }) => {
      const act = { call: name, facts: plan.facts };
      const verdict = judge(plan.classes, policy);
      if (verdict === 'passes') {
        // Only order commands have an idempotency key with which a repeated call can continue them.
        if (isOrderCommand(tool)) journal.store(act);
        return 'approved';
      }
      if (verdict === 'limit' && journal.reserve(act, policy.spendLimitMinor)) return 'approved';
      return { pending: await requestConfirmation(server, call, plan, act) };
    },
    settle: (operationId, outcome) => journal.settle(operationId, outcome),
  };
}

/** Refuses every answer except one acceptance of a question of this process about this call. */
function checkAnswer(sealer: Sealer, { request }: Call, sealed: SealedRequest, name: string): void {
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
  { canConfirm }: Call,
  { question, commandLine, commandText }: PlannedAct['plan'],
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
