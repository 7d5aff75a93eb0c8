import type { Client } from '@modelcontextprotocol/client';

/** A tool as it is described to a model. */
export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
}

/** A call that a model wants. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The conversation so far, oldest first. */
export type Message =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly text: string };

/** Decides the next step: a scripted one in tests, an LLM otherwise. */
export interface Model {
  next(messages: readonly Message[], tools: readonly ToolOffer[]): Promise<Message & { readonly role: 'assistant' }>;
}

interface Run {
  readonly client: Client;
  readonly model: Model;
  /** The goal of the agent, in the words of its owner. */
  readonly goal: string;
  readonly log: (line: string) => void;
  readonly stepsMax?: number;
}

/**
 * Lets a model work towards a goal with the tools of an MCP server, until it calls no more tools. The model makes
 * every decision; the server and the person at the client decide what it may do.
 */
export async function runAgent({ client, model, goal, log, stepsMax = 50 }: Run): Promise<string> {
  const { tools } = await client.listTools();
  const offers = tools.map(({ name, description = '', inputSchema }) => ({
    name,
    description,
    parameters: inputSchema,
  }));
  const messages: Message[] = [
    { role: 'system', text: client.getInstructions() ?? '' },
    { role: 'user', text: goal },
  ];
  for (let step = 0; step < stepsMax; step += 1) {
    const turn = await model.next(messages, offers);
    messages.push(turn);
    if (turn.calls.length === 0) return turn.text;
    for (const call of turn.calls) {
      log(`${call.name} ${JSON.stringify(call.arguments)}`);
      messages.push({ role: 'tool', callId: call.id, text: await callTool(client, call) });
    }
  }
  throw new Error(`The model has not finished within ${stepsMax} steps.`);
}

// A refusal is a result too: the model reads it and decides again.
async function callTool(client: Client, { name, arguments: args }: ToolCall): Promise<string> {
  const { content } = await client.callTool({ name, arguments: { ...args } });
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}
