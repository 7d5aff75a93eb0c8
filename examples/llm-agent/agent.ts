import { type AgentTool, toolInstructions } from '@agent-platform/sdk/tools';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The conversation so far, oldest first. */
export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly text: string };

/** A model that decides the next step: scripted in tests, an LLM otherwise. */
export interface Model {
  next(
    messages: readonly ChatMessage[],
    tools: readonly AgentTool[],
  ): Promise<ChatMessage & { readonly role: 'assistant' }>;
}

interface Run {
  readonly tools: readonly AgentTool[];
  readonly model: Model;
  /** The goal of the agent, in the words of its owner. */
  readonly goal: string;
  readonly log: (line: string) => void;
  readonly stepsMax?: number;
}

/**
 * Runs a model with an agent's tools until it makes no more calls. The model chooses each step; the tools, and the
 * person they ask, decide what it may do.
 */
export async function runAgent({ tools, model, goal, log, stepsMax = 50 }: Run): Promise<string> {
  const messages: ChatMessage[] = [
    { role: 'system', text: toolInstructions },
    { role: 'user', text: goal },
  ];
  for (let step = 0; step < stepsMax; step += 1) {
    const turn = await model.next(messages, tools);
    messages.push(turn);
    if (turn.calls.length === 0) return turn.text;
    for (const call of turn.calls) {
      log(`${call.name} ${JSON.stringify(call.arguments)}`);
      messages.push({ role: 'tool', callId: call.id, text: await callTool(tools, call) });
    }
  }
  throw new Error(`The model has not finished within ${stepsMax} steps.`);
}

// A refusal is also a result, to which the model can react. Pictures are omitted, because not every model has vision.
async function callTool(tools: readonly AgentTool[], { name, arguments: args }: ToolCall): Promise<string> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return `There is no tool ${name}. There are: ${tools.map((one) => one.name).join(', ')}`;
  const { picture: _, ...result } = await tool.execute(args);
  return JSON.stringify(result);
}
