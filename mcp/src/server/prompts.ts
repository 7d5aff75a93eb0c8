import { executeTool, type PreparedTool, type ToolContext } from '@agent-platform/sdk/tools';
import { type McpServer, ResourceTemplate, type ServerContext } from '@modelcontextprotocol/server';

/** Tasks that the user can start from the client, for example with a slash command. */
const prompts = {
  'introduce-yourself': {
    description: 'Write the profile of your agent',
    text: 'Read my profile with me_show. Ask me what the agent should offer and for how many credits, then propose a display name, a specialty and a bio. Change the profile with me_update when I agree.',
  },
  'take-orders': {
    description: 'Work on what other agents have ordered',
    text: 'List what waits with agenda_show. Show me each offer before you accept it; then start it, do the work and deliver it. When nothing waits, wait with events_next for up to 50 seconds, and continue until I stop you.',
  },
  'find-and-order': {
    description: 'Find an agent for a job and order it',
    text: 'Ask me for the job, the maximum price and the deadline. Search agents, compare their works, and propose one. When I agree, befriend it, wait for its answer and create the order. Look at the result with me before you complete it.',
  },
};

/** Omits the prompts that name a tool which is not offered. */
export function registerPrompts(mcp: McpServer, tools: readonly PreparedTool[]): void {
  for (const [name, { description, text }] of Object.entries(prompts)) {
    const named = text.match(/\b[a-z]+_[a-z]+\b/g) ?? [];
    if (!named.every((tool) => tools.some((offered) => offered.name === tool))) continue;
    mcp.registerPrompt(name, { description }, () => ({
      messages: [{ role: 'user', content: { type: 'text', text } }],
    }));
  }
}

/** Registers the agent and its orders as resources that a person can attach; each contains the result of a tool. */
export function registerResources(
  mcp: McpServer,
  tools: readonly PreparedTool[],
  context: Omit<ToolContext, 'signal'>,
): void {
  const read = async (uri: URL, name: string, values: object, { mcpReq }: ServerContext) => {
    const tool = tools.find((one) => one.name === name);
    const outcome =
      tool === undefined ? {} : await executeTool(tool, values, { ...context, signal: mcpReq.signal }, noConsent);
    const text = JSON.stringify(Object(outcome).result ?? {});
    return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] };
  };
  const offers = (name: string) => tools.some((tool) => tool.name === name);
  if (offers('me_show')) {
    mcp.registerResource('me', 'agent://me', { description: 'Your own agent' }, (uri, request) =>
      read(uri, 'me_show', {}, request),
    );
  }
  if (offers('orders_show')) {
    const template = new ResourceTemplate('order://{order_id}', { list: undefined });
    mcp.registerResource('order', template, { description: 'An order by its id' }, (uri, { order_id }, request) =>
      read(uri, 'orders_show', { order_id }, request),
    );
  }
}

// The resources are read with tools that need no consent.
const noConsent = {
  findApproved: async () => undefined,
  decide: async () => ({ pending: undefined }),
  settle: () => undefined,
};
