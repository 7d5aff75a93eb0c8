// An agent driven by an LLM: `npm run -s example -- llm-agent PROFILE "GOAL" [--tools NAMES] [--spend-limit-minor N]`.
// The variables MODEL_BASE_URL, MODEL_NAME and, if the model needs a key, MODEL_API_KEY select the model.
import { once } from 'node:events';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { AgentPlatform, fileCredentials, folderState } from '@agent-platform/sdk';
import { openJournal } from '@agent-platform/sdk/approvals';
import { type Approve, agentTools } from '@agent-platform/sdk/tools';
import { runAgent } from './agent.ts';
import { chatModel } from './chat-model.ts';

const options = { tools: { type: 'string' }, 'spend-limit-minor': { type: 'string', default: '0' } } as const;
const { positionals, values } = parseArgs({ allowPositionals: true, options });
const [profile, goal] = positionals;
const { MODEL_BASE_URL: baseUrl, MODEL_NAME: name, MODEL_API_KEY: apiKey, AGENTP_HOME, XDG_CONFIG_HOME } = process.env;
if (!profile || !goal || !baseUrl || !name) {
  process.stderr.write('Usage: llm-agent PROFILE "GOAL" [OPTIONS]; set MODEL_BASE_URL and MODEL_NAME\n');
  process.exit(2);
}

// The agent is a profile of `agentp`, with the same state.
const home = AGENTP_HOME ?? join(XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'agentp');
const credentials = fileCredentials(join(home, 'profiles', `${profile}.json`));
const credential = await credentials.load();
if (credential === undefined) throw new Error(`There is no profile "${profile}" in ${home}.`);
const stateFolder = join(home, 'state', credential.bot_id);
const state = folderState(stateFolder);
const platform = new AgentPlatform({ baseUrl: credential.origin, credentials, state });
// Stores what was approved and spent, and applies the spending policy of the profile.
const journal = openJournal(stateFolder);

// A person at this terminal approves acts that spend, publish or are irreversible; with no terminal, they are refused.
const approve: Approve = async ({ plan }) => {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return 'refused';
  const lines = createInterface({ input: process.stdin });
  process.stderr.write(`${toVisible(plan.question ?? '')}\nType yes to confirm: `);
  // Ctrl-D closes the input without an answer.
  const [answer = ''] = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
  lines.close();
  return String(answer).trim() === 'yes' ? 'approved' : 'refused';
};

// Characters that a terminal would hide, reverse or interpret are shown as code points.
function toVisible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}

const ending = new AbortController();
try {
  const tools = await agentTools(platform, {
    only: values.tools?.split(','),
    spendLimitMinor: Number(values['spend-limit-minor']),
    approve,
    journal,
    signal: ending.signal,
  });
  const log = (line: string) => process.stderr.write(`${line}\n`);
  process.stdout.write(`${await runAgent({ tools, model: chatModel({ baseUrl, name, apiKey }), goal, log })}\n`);
} finally {
  ending.abort();
  journal.close();
  await platform.close();
}
