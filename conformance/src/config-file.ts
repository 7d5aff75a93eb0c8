import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { OptionsError, rethrowAsCannotRun } from './context/cannot-run.ts';
import { type Exchange, openHttpClient } from './context/http/http-client.ts';
import { isObject, type JsonObject } from './context/json.ts';
import type { RunOptions } from './context/options.ts';
import { streamPath } from './context/paths.ts';
import { findWebsiteHint, readOwnProfile } from './suite/find-server.ts';
import { openLiveWorld } from './world/live-world.ts';

type OptionTypes = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;

/** Reads a configuration file, which has one command line option per line: `name = value`, without dashes. */
export function readConfig(file: string, types: OptionTypes): readonly string[] {
  const text = rethrowAsCannotRun(`${file} cannot be read: `, () => readFileSync(file, 'utf8'), OptionsError);
  const lines = text.split(/\r?\n/);
  return lines.flatMap((line, at) => {
    const entry = line.trim();
    if (entry === '' || entry.startsWith('#')) return [];
    const [, name = entry, value = ''] = /^([\w-]+)\s*=\s*([\s\S]*)$/.exec(entry) ?? [];
    const where = `${file}, line ${at + 1}`;
    const type = Object.hasOwn(types, name) ? types[name]?.type : undefined;
    if (type === undefined || ['config', 'init', 'help'].includes(name))
      throw new OptionsError(`${where}: "${name}" is not an option of a configuration.`);
    if (value === '') throw new OptionsError(`${where}: write ${name} = VALUE.`);
    if (type === 'string') return [`--${name}=${fromFolder(dirname(file), name, value)}`];
    if (value !== 'true' && value !== 'false') throw new OptionsError(`${where}: ${name} takes true or false.`);
    return value === 'true' ? [`--${name}`] : [];
  });
}

/** Resolves a path relative to the folder of the configuration file; other values are returned unchanged. */
function fromFolder(folder: string, name: string, value: string): string {
  if (!['agents', 'baseline', 'report'].includes(name)) return value;
  const [, kind = '', path = ''] = (name === 'report' ? /^([^=]*=)?(.*)$/ : /^()(.*)$/).exec(value) ?? [];
  return path === '' || isAbsolute(path) ? value : `${kind}${join(folder, path)}`;
}

/** Writes a new configuration file for a server. Throws if the file exists. */
export async function writeConfig(file: string, options: RunOptions): Promise<void> {
  const config = printConfig(options, await readServerNews(options.baseUrl), dirname(file));
  rethrowAsCannotRun(`${file} cannot be written: `, () => writeFileSync(file, config, { flag: 'wx' }), OptionsError);
}

function printConfig(
  { baseUrl, wsUrl, agentsFile, limits }: RunOptions,
  news: Awaited<ReturnType<typeof readServerNews>>,
  folder: string,
) {
  const stream = wsUrl ?? news.wsUrl;
  const lines = [
    '# The options of agent-platform-conformance, without their dashes: --config reads this file.',
    '# The command line overrides it. Paths are relative to the folder of this file.',
    '',
    `base-url = ${baseUrl}`,
    stream === undefined ? '# No event stream answers at this host.\n# ws-url = ws://HOST' : `ws-url = ${stream}`,
    '# Keeps tokens and private keys for the next run: keep it private.',
    `agents = ${agentsFile === undefined ? 'pool.json' : relative(folder, agentsFile)}`,
    '',
    '# Reported by the server:',
    ...(news.facts.length === 0 ? ['nothing'] : news.facts).map((fact) => `#   ${fact}`),
    '',
    '# The pace, below the rate limits of the specification; for a server without rate limits: no-pace = true',
    `writes-per-minute = ${limits.writesPerMinute}`,
    `contact-requests-per-minute = ${limits.contactRequestsPerMinute}`,
    `messages-per-minute = ${limits.messagesPerMinute}`,
    `requests-per-minute = ${limits.requestsPerMinute}`,
    `registrations-per-hour = ${limits.registrationsPerHour}`,
    '',
    '# Your programs for actions that the API does not offer, each below the rules that need it:',
    '# prices beyond an offer, payments, refunds',
    '# grant-command = CMD {bot_id} {amount_minor}',
    `# expiry and retention${news.hasTestClock ? '; the clock of this server can be moved' : ''}`,
    '# clock-command = CMD {seconds}',
    '# inactive agents',
    '# suspend-command = CMD {bot_id}',
    '# all rules, if registration requires an invitation',
    '# invitation-command = CMD',
    '',
    '# report = html=report.html',
    '# baseline = baseline.txt',
  ];
  return `${lines.join('\n')}\n`;
}

/** Reads facts about the server that the specification does not require. Sends only read requests. */
async function readServerNews(baseUrl: string) {
  const world = openLiveWorld();
  const http = openHttpClient(baseUrl);
  const get = (path: string) =>
    http.send({ method: 'GET', path, headers: {}, body: '' }).catch((): Exchange | undefined => undefined);
  try {
    const notes = findWebsiteHint(await readOwnProfile({ http, world }, baseUrl, undefined), baseUrl);
    const [health, contract, events, stream] = [
      objectOf(await get('/health/live')),
      objectOf(await get('/openapi.json')),
      objectOf(await get('/asyncapi.json')),
      await get(streamPath),
    ];
    // These statuses mean that the path exists but that the request lacks a token or an upgrade.
    const hasStream = stream !== undefined && [400, 401, 403, 426].includes(stream.status);
    return {
      /** The address of the event stream if one answers at the same host; otherwise undefined. */
      wsUrl: hasStream ? baseUrl.replace(/^http/, 'ws') : undefined,
      hasTestClock: health['clock'] === 'test',
      facts: [
        ...notes,
        ...textsUnder('health', health),
        ...textsUnder('OpenAPI', isObject(contract['info']) ? contract['info'] : {}),
        ...extensionsOf('OpenAPI', contract),
        ...extensionsOf('AsyncAPI', events),
      ].map((fact) => fact.replaceAll(/[\p{C}\s]+/gu, ' ').slice(0, 200)),
    };
  } finally {
    http.close();
  }
}

function objectOf(exchange: Exchange | undefined): JsonObject {
  return exchange?.status === 200 && isObject(exchange.json) ? exchange.json : {};
}

const describingMembers = ['version', 'title', 'clock'];

function textsUnder(source: string, holder: JsonObject): readonly string[] {
  return describingMembers.flatMap((name) =>
    typeof holder[name] === 'string' ? [`${source}: ${name} ${holder[name]}`] : [],
  );
}

const depthMax = 6;

/** The server's limits: the numbers in the `x-…limit…` extensions of its contract. */
function extensionsOf(source: string, value: unknown, depth = 0): readonly string[] {
  if (!isObject(value) || depth > depthMax) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (!/^x-.*limit/i.test(name) || !isObject(member)) return extensionsOf(source, member, depth + 1);
    return Object.entries(member)
      .filter(([, limit]) => typeof limit === 'number')
      .map(([limit, number]) => `${source}: ${name} ${limit} ${String(number)}`);
  });
}
