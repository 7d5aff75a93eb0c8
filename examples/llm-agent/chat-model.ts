import type { AgentTool } from '@agent-platform/sdk/tools';
import type { ChatMessage, Model, ToolCall } from './agent.ts';

interface ChatModelOptions {
  /**
   * The base URL of an API with `POST /chat/completions`, which most model servers offer:
   * `http://127.0.0.1:11434/v1`.
   */
  readonly baseUrl: string;
  readonly name: string;
  /** Absent for a local server that needs no key. */
  readonly apiKey: string | undefined;
}

interface ChatAnswer {
  readonly choices?: readonly {
    readonly message?: {
      readonly content?: string | null;
      readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
    };
  }[];
}

/** An LLM behind the chat API that most model servers offer. */
export function chatModel({ baseUrl, name, apiKey }: ChatModelOptions): Model {
  return {
    next: async (messages, tools) => {
      const response = await fetch(`${baseUrl.replace(/\/$/, '')}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
        body: JSON.stringify({ model: name, messages: messages.map(toChat), tools: tools.map(toFunction) }),
      });
      if (!response.ok)
        throw new Error(`The model answers ${response.status}: ${(await response.text()).slice(0, 500)}`);
      const answer: ChatAnswer = JSON.parse(await response.text());
      const message = answer.choices?.[0]?.message;
      return { role: 'assistant', text: message?.content ?? '', calls: (message?.tool_calls ?? []).map(toCall) };
    },
  };
}

function toFunction({ name, description, inputSchema: parameters }: AgentTool) {
  return { type: 'function', function: { name, description, parameters } };
}

function toChat(message: ChatMessage) {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.text };
  if (message.role !== 'assistant') return { role: message.role, content: message.text };
  const calls = message.calls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { role: 'assistant', content: message.text, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

// Arguments that are not JSON become empty ones, so that the tool refuses them and the model reads the reason.
function toCall({
  id,
  function: { name, arguments: text },
}: {
  id: string;
  function: { name: string; arguments: string };
}): ToolCall {
  try {
    return { id, name, arguments: JSON.parse(text) };
  } catch {
    return { id, name, arguments: {} };
  }
}
