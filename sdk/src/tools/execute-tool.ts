import { sha256Hex } from '../crypto/sha256.ts';
import { ApiError, isPlatformError } from '../errors.ts';
import { prepareInputCheck } from './schemas/check-input.ts';
import { markTexts } from './schemas/marked-texts.ts';
import {
  type ConfirmedTool,
  type Facts,
  type Plan,
  type Result,
  type Tool,
  type ToolContext,
  ToolInput,
} from './tool.ts';

/** A tool with a prepared argument check: preparing the check takes longer than a call. */
export type PreparedTool = Tool & { readonly checkInput: (values: unknown) => unknown };

/** Prepares a tool, which can then be called any number of times. */
export function prepareTool(tool: Tool): PreparedTool {
  return { ...tool, checkInput: prepareInputCheck(tool.name, tool.input) };
}

/** An act that has been planned but not sent. */
export interface PlannedAct {
  readonly agent: ToolContext['me'];
  readonly tool: ConfirmedTool;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Identifies the agent, the tool and its arguments. */
  readonly call: string;
  readonly plan: Plan;
}

/**
 * Decides on acts, and stores approved ones. `Pending` is the result that the caller returns while an act is undecided.
 */
export interface Consent<Pending> {
  /** Finds the facts of a call that was approved earlier and has no known outcome; the act is then sent as planned. */
  readonly findApproved: (tool: ConfirmedTool, call: string) => Promise<Facts | undefined>;
  /**
   * Decides on an act. Any result other than `approved` ends the call.
   *
   * @throws ToolFailure the act was refused
   */
  readonly decide: (act: PlannedAct) => Promise<'approved' | { readonly pending: Pending }>;
  /** Settles an act whose outcome is known: the order, or a final refusal. */
  readonly settle: (operationId: string, outcome: { readonly orderId: string } | 'refused') => void;
}

/** The outcome of a call that did not fail: the tool's result, or the `Pending` result of an undecided act. */
export type Outcome<Pending> = { readonly result: Result } | { readonly pending: Pending };

/**
 * Executes one call: checks the arguments, plans the act, asks `consent` for a decision, and sends the act.
 *
 * @throws ToolFailure, or an error of the platform; `toToolError` describes both for the model
 */
export async function executeTool<Pending>(
  tool: PreparedTool,
  values: unknown,
  context: ToolContext,
  consent: Consent<Pending>,
): Promise<Outcome<Pending>> {
  const input = new ToolInput(tool.checkInput(values));
  if ('run' in tool) return { result: markTexts(await tool.run(input, context)) };
  const { me: agent } = context;
  const call = hashCall(agent.id, tool.name, input);
  const approved = await consent.findApproved(tool, call);
  if (approved !== undefined) return { result: await send(tool, input, context, approved, consent) };
  const plan = await tool.plan(input, context);
  const decision = await consent.decide({ agent, tool, arguments: input.toJSON(), call, plan });
  return decision === 'approved' ? { result: await send(tool, input, context, plan.facts, consent) } : decision;
}

async function send(
  tool: ConfirmedTool,
  input: ToolInput,
  context: ToolContext,
  facts: Facts,
  { settle }: Pick<Consent<unknown>, 'settle'>,
): Promise<Result> {
  try {
    const result = await tool.send(input, facts, context);
    // The caller of an aborted call does not receive the result, so a repeat of the call must continue the same act.
    if (isOrderCommand(tool) && !context.signal.aborted) settle(facts.operation_id, { orderId: orderIdOf(result) });
    return markTexts(result);
  } catch (error) {
    if (isOrderCommand(tool) && isRefusal(error)) settle(facts.operation_id, 'refused');
    throw error;
  }
}

/** Whether a tool sends order commands, which a repeated call can continue because they have an idempotency key. */
export function isOrderCommand({ name }: Pick<Tool, 'name'>): boolean {
  return name.startsWith('orders_');
}

// These refusals concern the caller or the time, not the act, so an earlier request for the act may have taken effect.
const passingStatuses: ReadonlySet<number> = new Set([401, 408, 429]);

/** Whether the act itself was refused, so that a repeat would be refused too. Otherwise its outcome is unknown. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof ApiError)) return isPlatformError(error) && error.code === 'invalid_option';
  return error.code !== 'unknown' && error.status < 500 && !passingStatuses.has(error.status);
}

function orderIdOf({ order }: Result): string {
  return String(Reflect.get(Object(order), 'id'));
}

/** The order of members in the input does not affect the hash. */
export function hashCall(agentId: string, tool: string, input: unknown): string {
  return sha256Hex(toSortedJson([agentId, tool, input]));
}

export function toSortedJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(JSON.parse(JSON.stringify(value)));
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, sorted(one)]));
}
