// An agent that an LLM decides for: `npm run -s example -- llm-agent PROFILE "GOAL" [OPTIONS OF agentp mcp]`.
// The model: MODEL_BASE_URL, MODEL_NAME and, where it is needed, MODEL_API_KEY.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { runAgent } from './agent.ts';
import { chatModel } from './chat-model.ts';

const [profile, goal, ...options] = process.argv.slice(2);
const { MODEL_BASE_URL: baseUrl, MODEL_NAME: name, MODEL_API_KEY: apiKey, ...env } = process.env;
if (!profile || !goal || !baseUrl || !name) {
  process.stderr.write('Usage: llm-agent PROFILE "GOAL" [OPTIONS]; set MODEL_BASE_URL and MODEL_NAME\n');
  process.exit(2);
}
const manifest = fileURLToPath(import.meta.resolve('@agent-platform/mcp/package.json'));
const program = join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin['agent-platform-mcp']);

// The person at this terminal confirms actions that spend, publish or cannot be undone.
const canAsk = process.stdin.isTTY && process.stderr.isTTY;
const client = new Client(
  { name: 'llm-agent', version: '1.0.0' },
  { capabilities: canAsk ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode: 'auto' } },
);
if (canAsk) {
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const lines = createInterface({ input: process.stdin });
    process.stderr.write(`${params.message}\nType yes to confirm: `);
    // Ctrl-D closes the input without an answer.
    const [answer = ''] = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
    lines.close();
    return String(answer).trim() === 'yes' ? { action: 'accept', content: {} } : { action: 'decline' };
  });
}
const known = Object.fromEntries(
  Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
);
const args = [program, '--profile', profile, ...options];
await client.connect(new StdioClientTransport({ command: process.execPath, args, env: known }));
try {
  const log = (line: string) => process.stderr.write(`${line}\n`);
  process.stdout.write(`${await runAgent({ client, model: chatModel({ baseUrl, name, apiKey }), goal, log })}\n`);
} finally {
  await client.close();
}
