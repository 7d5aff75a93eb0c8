// A scripted model trades through the adapter of one framework: `node trade.mjs FRAMEWORK`. `npm run lab -- frameworks`
// copies the adapters of sdk/docs/tools.md and the packed SDK into this folder.
import { FakePlatform } from '@agent-platform/sdk/testing';
import { agentTools, toolInstructions } from '@agent-platform/sdk/tools';

const deadline = new Date(Date.now() + 86_400_000).toISOString();

/** Chooses the model's next call from the results of its calls so far, or returns its final answer. */
function decide(results) {
  const last = results.at(-1) ?? {};
  const found = (member) => results.find((result) => result[member] !== undefined)?.[member];
  const order = found('order');
  const steps = [
    () => ['agents_search', { q: 'charts' }],
    () => ['contacts_request', last.agents[0].next[0].arguments],
    () => ['events_next', { wait_seconds: 20 }],
    () => ['orders_create', { contractor_id: 'bob', title: 'A chart', amount_minor: 1_000, deadline, expected: 1 }],
    () => ['orders_create', { contractor_id: 'bob', title: 'A chart', amount_minor: 1_000, deadline }],
    () => ['orders_create', { contractor_id: 'bob', title: 'A chart', amount_minor: 1_000, deadline }],
    () => ['orders_show', { order_id: order.id }],
  ];
  const step = steps[results.length];
  if (step !== undefined) return step();
  if (last.order.state === 'closed') return `Paid for: ${results.at(-2).untrusted.texts['/order/result_text']}`;
  if (last.order.state !== 'delivered') return ['orders_show', { order_id: order.id }];
  return ['orders_complete', { order_id: order.id, expected_version: last.order.version }];
}

const frameworks = {
  ai: async (tools) => {
    const [{ generateText, isStepCount }, { MockLanguageModelV4 }, { toAiTools }] = await Promise.all([
      import('ai'),
      import('ai/test'),
      import('./adapter-1.mjs'),
    ]);
    const usage = { inputTokens: {}, outputTokens: {} };
    const model = new MockLanguageModelV4({
      doGenerate: async ({ prompt }) => {
        const parts = prompt.filter(({ role }) => role === 'tool').flatMap(({ content }) => content);
        const next = decide(parts.map(({ output }) => output.value));
        const content = Array.isArray(next)
          ? { type: 'tool-call', toolCallId: `call-${parts.length}`, toolName: next[0], input: JSON.stringify(next[1]) }
          : { type: 'text', text: next };
        const unified = Array.isArray(next) ? 'tool-calls' : 'stop';
        return { content: [content], finishReason: { unified, raw: unified }, usage, warnings: [] };
      },
    });
    const settings = { model, tools: toAiTools(tools), stopWhen: isStepCount(200) };
    return (await generateText({ ...settings, instructions: toolInstructions, prompt: 'Buy a chart.' })).text;
  },
  langchain: async (tools) => {
    const [{ createAgent, AIMessage }, { BaseChatModel }, { toLangChainTools }] = await Promise.all([
      import('langchain'),
      import('@langchain/core/language_models/chat_models'),
      import('./adapter-2.mjs'),
    ]);
    class Scripted extends BaseChatModel {
      _llmType() {
        return 'scripted';
      }
      bindTools() {
        return this;
      }
      async _generate(messages) {
        const results = messages
          .filter((message) => message.getType() === 'tool')
          .map(({ content }) => JSON.parse(content));
        const next = decide(results);
        const call = { id: `call-${results.length}`, name: next[0], args: next[1], type: 'tool_call' };
        const message = Array.isArray(next)
          ? new AIMessage({ content: '', tool_calls: [call] })
          : new AIMessage({ content: next });
        return { generations: [{ message, text: '' }] };
      }
    }
    const agent = createAgent({
      model: new Scripted({}),
      tools: toLangChainTools(tools),
      systemPrompt: toolInstructions,
    });
    const input = { messages: [{ role: 'user', content: 'Buy a chart.' }] };
    const { messages } = await agent.invoke(input, { recursionLimit: 500 });
    return messages.at(-1).content;
  },
  openai: async (tools) => {
    const [{ default: OpenAI }, { toOpenAiTools }] = await Promise.all([import('openai'), import('./adapter-3.mjs')]);
    const fetch = async (_, { body }) => {
      const { messages } = JSON.parse(body);
      const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.parse(content));
      const next = decide(results);
      const call = { name: next[0], arguments: JSON.stringify(next[1]) };
      const message = Array.isArray(next)
        ? { content: null, tool_calls: [{ id: `call-${results.length}`, type: 'function', function: call }] }
        : { content: next };
      return Response.json({ choices: [{ index: 0, message: { role: 'assistant', ...message } }] });
    };
    const client = new OpenAI({ apiKey: 'none', fetch });
    const messages = [
      { role: 'system', content: toolInstructions },
      { role: 'user', content: 'Buy a chart.' },
    ];
    const settings = { model: 'scripted', messages, tools: toOpenAiTools(tools) };
    return await client.chat.completions.runTools(settings, { maxChatCompletions: 200 }).finalContent();
  },
};

const market = new FakePlatform();
const alice = await market.agent('alice', { creditsMinor: 10_000 });
const bob = await market.agent('bob', { profile: { profile_public: true, specialty: 'charts' } });
const ending = new AbortController();
bob.onOrder({
  offered: async (_, { accept }) => await accept?.(),
  funded: async (_, { start }) => await start?.(),
  in_progress: async (_, { deliver }) => await deliver?.({ result_text: 'A map of the reef' }),
});
const working = bob.run({ signal: ending.signal, accept: 'all' });

const questions = [];
const tools = await agentTools(alice, {
  only: ['core'],
  signal: ending.signal,
  approve: async ({ tool }) => {
    questions.push(tool.name);
    // The first question about the order must wait for an answer.
    return tool.name === 'orders_create' && questions.filter((name) => name === tool.name).length === 1
      ? 'waiting'
      : 'approved';
  },
});
const text = await frameworks[process.argv[2]](tools);
ending.abort();
await working;
const [{ outcome }] = (await alice.orders.list()).orders;
await Promise.all([alice.close(), bob.close()]);
console.log(JSON.stringify({ text, outcome, questions }));
