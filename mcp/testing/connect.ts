import { join } from 'node:path';
import type { AgentPlatform } from '@agent-platform/sdk';
import { ActJournal } from '@agent-platform/sdk/approvals';
import { EventReceiver, type Policy, selectTools } from '@agent-platform/sdk/tools';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import {
  Client,
  type ClientOptions,
  type ElicitResult,
  InMemoryTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { ApprovalPageServer } from '../src/http/approval-page.ts';
import type { ToolServerContext } from '../src/server/call-tool.ts';
import { openFilesFolder } from '../src/server/files-folder.ts';
import { makeMcpServer, prepareTools } from '../src/server/make-server.ts';
import { RunningCalls } from '../src/server/running-calls.ts';
import { RequestSealer } from '../src/server/sealed-request.ts';

/** The eras of the protocol: `modern` since the revision of 2026-07-28, `legacy` before it. */
export type ProtocolEra = 'modern' | 'legacy';

// Compiled once for all tests.

interface ServerSettings {
  readonly policy?: Partial<Policy>;
  readonly journalFile?: string;
  readonly filesFolder?: string;
  readonly now?: () => number;
  readonly hasOutputSchemas?: boolean;
  /** Default: all tools. */
  readonly names?: readonly string[];
}

/** Opens the tools of an agent, without a transport. */
export async function openToolServer(platform: AgentPlatform, settings: ServerSettings = {}) {
  const { id, handle } = await platform.bots.me();
  const ending = new AbortController();
  const now = settings.now ?? Date.now;
  const journal = new ActJournal(settings.journalFile ?? join(makeTestFolder(), 'mcp.sqlite'), now);
  const events = new EventReceiver(platform, ending.signal);
  const page = new ApprovalPageServer(journal.approvals, id);
  const lines: string[] = [];
  const server: ToolServerContext = {
    context: {
      platform,
      me: { id, handle },
      events,
      uploads: journal,
      offers: () => true,
      now: () => new Date(now()),
      filesFolder: settings.filesFolder === undefined ? undefined : await openFilesFolder(settings.filesFolder),
    },
    policy: { allowed: new Set(), spendLimitMinor: 0, ...settings.policy },
    sealer: new RequestSealer(now),
    journal,
    page,
    running: new RunningCalls(),
    profile: handle,
    report: (line) => lines.push(line),
  };
  onTestFinished(async () => {
    ending.abort();
    await events.ended();
    await page.close();
    journal.close();
  });
  return {
    server,
    journal,
    lines,
    make: () =>
      makeMcpServer(server, prepareTools(selectTools({ ...settings, hasFiles: true }), settings.hasOutputSchemas)),
  };
}

export type OpenedToolServer = Awaited<ReturnType<typeof openToolServer>>;

/** Answers a question, or a request to open an address, as a client's user; undefined for a client that cannot ask. */
export type SimulatedUser = ((question: string, url?: string) => ElicitResult | Promise<ElicitResult>) | undefined;

export const confirmingPerson: SimulatedUser = () => ({ action: 'accept', content: {} });
export const decliningPerson: SimulatedUser = () => ({ action: 'decline' });

/** Makes a client for a protocol era; `person` answers its questions, which use a form or an address. */
export function makeClient(
  era: ProtocolEra,
  person: SimulatedUser,
  options: ClientOptions = {},
  mode: 'form' | 'url' = 'form',
): Client {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      ...options,
      capabilities: person === undefined ? {} : { elicitation: { [mode]: {} } },
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
    },
  );
  if (person !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      return await person(params.message, 'url' in params ? params.url : undefined);
    });
  }
  return client;
}

/** Connects a client that passes questions to the test instead of answering them. */
export async function connectWithoutAnswers(opened: OpenedToolServer): Promise<Client> {
  return await connectClient(
    opened,
    makeClient('modern', confirmingPerson, { inputRequired: { autoFulfill: false } }),
    'modern',
  );
}

export async function connect(
  opened: OpenedToolServer,
  era: ProtocolEra,
  person: SimulatedUser,
  mode: 'form' | 'url' = 'form',
): Promise<Client> {
  return await connectClient(opened, makeClient(era, person, {}, mode), era);
}

async function connectClient({ make }: OpenedToolServer, client: Client, era: ProtocolEra): Promise<Client> {
  onTestFinished(() => client.close());
  if (era === 'legacy') {
    const [near, far] = InMemoryTransport.createLinkedPair();
    await make().connect(far);
    await client.connect(near);
    return client;
  }
  const handler = createMcpHandler(make, { legacy: 'reject' });
  const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
  await client.connect(new StreamableHTTPClientTransport(new URL('http://test.local/mcp'), { fetch }));
  return client;
}

export type Json = Readonly<Record<string, unknown>>;

/** Every call that `callOk` sent, with its result, as JSON. */
export const transcript: string[] = [];

export async function callOk(client: Client, name: string, args: Json = {}): Promise<Json> {
  const result = await client.callTool({ name, arguments: { ...args } });
  transcript.push(JSON.stringify({ name, args, result }));
  if (result.isError === true) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
  return parseResult(result);
}

export function parseResult({ content, structuredContent }: Awaited<ReturnType<Client['callTool']>>): Json {
  const [first] = content;
  if (structuredContent !== undefined) return Object(structuredContent);
  return first?.type === 'text' ? JSON.parse(first.text) : {};
}

export async function callExpectingRefusal(client: Client, name: string, args: Json = {}): Promise<Json> {
  const { content, isError } = await client.callTool({ name, arguments: { ...args } });
  const [first] = content;
  if (isError !== true || first?.type !== 'text')
    throw new Error(`${name} was not refused: ${JSON.stringify(content)}`);
  return JSON.parse(first.text).error;
}
