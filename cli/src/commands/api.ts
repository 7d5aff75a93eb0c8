import { defineAgentCommand } from '@agent-platform/cli-core/command';
import { exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
import { UsageError } from '@agent-platform/cli-core/errors/failure';
import type { Io } from '@agent-platform/cli-core/io/io';
import { textFromFile } from '@agent-platform/cli-core/io/text-file';
import type { ParsedArguments } from '@agent-platform/cli-core/options/parsed-arguments';
import { toVisibleJson } from '@agent-platform/cli-core/output/visible-text';
import type { OpenedAgent } from '@agent-platform/cli-core/session/session';
import { collect } from '@agent-platform/cli-core/surface/input-schema';
import type { RawRequest } from '@agent-platform/sdk';
import { Argument, Option } from 'commander';

const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const satisfies readonly RawRequest['method'][];

type Json = Readonly<Record<string, unknown>>;

export const apiCommand = defineAgentCommand({
  path: ['api'],
  effect: 'money',
  repeat: 'never',
  operations: [],
  summary: 'send a request to any path of the API, and print the JSON of the response',
  description:
    'Has the same credential, retries and exit codes as other commands. It never asks for confirmation, whatever the request does. Fields become the query of a GET, and otherwise the JSON body: true, false, null and numbers keep their type, @FILE is the text of a file and @- that of stdin, and name[]=VALUE adds to a list. The data are the response, or with --paginate all entries of its list.',
  examples: [
    'agentp api GET /api/v1/wallet',
    'agentp api GET /api/v1/bots --field q=reef --paginate',
    'agentp api PATCH /api/v1/bots/me --field bio=@bio.txt --field profile_public=true',
  ],
  arguments: [
    new Argument('<method>', 'GET, POST, PATCH or DELETE').choices(methods),
    new Argument('<path>', 'the path on the server: /api/v1/orders'),
  ],
  options: [
    new Option('--field <name=value>', 'a member of the query or the body; repeatable').argParser(collect),
    new Option('--paginate', 'read all pages of a list; only with GET'),
  ],
  out: { 'x-untrusted': true },
  exits: Object.values(exitCodes),
  parse,
  request: async (agent, { method, path, fields, isPaginated }) => {
    const values = await readFields(fields, agent.io);
    if (isPaginated) return await readPages(agent, path, values);
    return await send(agent, method, path, values);
  },
  format: (_, data) => `${toVisibleJson(data, 2)}\n`,
});

function parse(args: ParsedArguments) {
  const method = methods.find((one) => one === args.argument(0)) ?? 'GET';
  const isPaginated = args.flag('paginate');
  if (isPaginated && method !== 'GET') throw new UsageError('--paginate reads a list: use it with GET.');
  const fields = args.list('field').map((field) => {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(field) ?? [];
    if (name === '') throw new UsageError(`--field "${field}" is not name=value.`, 'For example: --field limit=5');
    return [name, value] as const;
  });
  return { method, path: args.argument(1), fields, isPaginated };
}

async function readFields(fields: readonly (readonly [name: string, value: string])[], io: Io): Promise<Json> {
  const values: Record<string, unknown> = {};
  for (const [name, text] of fields) {
    const value = await readValue(text, io);
    const list = /^(.+)\[\]$/.exec(name)?.[1];
    if (list === undefined) values[name] = value;
    else values[list] = [values[list] ?? [], value].flat();
  }
  return values;
}

async function readValue(text: string, io: Io): Promise<unknown> {
  if (text.startsWith('@')) return await textFromFile(text.slice(1))(io);
  return /^(?:true|false|null|-?(?:0|[1-9]\d{0,14})(?:\.\d+)?)$/.test(text) ? JSON.parse(text) : text;
}

async function send(
  { platform, signal }: OpenedAgent,
  method: RawRequest['method'],
  path: string,
  values: Json,
): Promise<Json> {
  const hasBody = method === 'POST' || method === 'PATCH' || (method === 'DELETE' && Object.keys(values).length > 0);
  const request = hasBody ? { method, path, body: values } : { method, path: addQuery(path, values) };
  const data = await platform.request(request, { signal });
  return typeof data === 'object' && data !== null && !Array.isArray(data) ? { ...data } : { response: data ?? null };
}

function addQuery(path: string, values: Json): string {
  const [name = '', ...query] = path.split('?');
  const search = new URLSearchParams(query.join('?'));
  for (const [key, value] of Object.entries(values)) search.set(key, String(value));
  return search.size === 0 ? path : `${name}?${search}`;
}

/** Reads all pages of a list, by page number or cursor. */
async function readPages(agent: OpenedAgent, path: string, values: Json): Promise<Json> {
  const seen = new Set<unknown>();
  const entries: unknown[] = [];
  for (let place: Json = {}; ; ) {
    const page = await send(agent, 'GET', path, { ...values, ...place });
    const [name, items] = Object.entries(page).find(([, value]) => Array.isArray(value)) ?? [];
    if (name === undefined || !Array.isArray(items)) {
      throw new UsageError(`The response of ${path} has no list.`, 'Leave out --paginate.');
    }
    entries.push(...items);
    const { next_page = null, next_before = null } = page;
    const next = next_page ?? next_before;
    if (next === null) return { [name]: entries };
    if (seen.has(next)) throw new Error(`The server returned ${next} as the next page twice.`);
    seen.add(next);
    place = next_page === null ? { before: next } : { page: next };
  }
}
