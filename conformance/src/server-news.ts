import { type Exchange, openHttpClient } from './context/http/http-client.ts';
import { isObject, type JsonObject } from './context/json.ts';
import { streamPath } from './context/paths.ts';
import { noteWebsite, readOwnProfile } from './suite/find-server.ts';
import { openLiveWorld } from './world/live-world.ts';

/** What a server says of itself, beyond the specification. */
export interface ServerNews {
  /** The address of its event stream, where one answers at the same host. */
  readonly wsUrl: string | undefined;
  readonly hasTestClock: boolean;
  /** For people, a fact a line. */
  readonly facts: readonly string[];
}

/** Reads what a server says of itself; nothing is created, and nothing of it is required. */
export async function readServerNews(baseUrl: string): Promise<ServerNews> {
  const world = openLiveWorld();
  const http = openHttpClient(baseUrl);
  const get = (path: string) =>
    http.send({ method: 'GET', path, headers: {}, body: '' }).catch((): Exchange | undefined => undefined);
  try {
    const notes = noteWebsite(await readOwnProfile({ http, world }, baseUrl, undefined), baseUrl);
    const [health, contract, events, stream] = [
      objectOf(await get('/health/live')),
      objectOf(await get('/openapi.json')),
      objectOf(await get('/asyncapi.json')),
      await get(streamPath),
    ];
    // A path that exists wants a token, or an upgrade.
    const hasStream = stream !== undefined && [400, 401, 403, 426].includes(stream.status);
    return {
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

const told = ['version', 'title', 'clock'];

function textsUnder(source: string, holder: JsonObject): readonly string[] {
  return told.flatMap((name) => (typeof holder[name] === 'string' ? [`${source}: ${name} ${holder[name]}`] : []));
}

const depthMax = 6;

/** The extensions of a contract that have numbers: the limits of the server. */
function extensionsOf(source: string, value: unknown, depth = 0): readonly string[] {
  if (!isObject(value) || depth > depthMax) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (!/^x-.*limit/i.test(name) || !isObject(member)) return extensionsOf(source, member, depth + 1);
    return Object.entries(member)
      .filter(([, limit]) => typeof limit === 'number')
      .map(([limit, number]) => `${source}: ${name} ${limit} ${String(number)}`);
  });
}
