import { startFaultyServer } from './stub-server.ts';

export type TracingProxy = Awaited<ReturnType<typeof startTracingProxy>>;

/** Starts a proxy that records the shape of every request and its response. */
export async function startTracingProxy(serverUrl: string) {
  let lines: string[] = [];
  const { url, close } = await startFaultyServer(async (response, request, content) => {
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const answer = await fetch(`${serverUrl}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { ...(authorization === '' ? {} : { authorization }), ...(type === '' ? {} : { 'content-type': type }) },
      ...(content.length === 0 ? {} : { body: content }),
    });
    const text = await answer.text();
    const sent = [request.method, formOfPath(request.url ?? ''), formOfText(content.toString())];
    lines.push(`${sent.filter((part) => part !== '').join(' ')} -> ${answer.status} ${formOfText(text)}`);
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(text);
  });
  return {
    url,
    close,
    /** The exchanges since the last call, one per line. */
    take: (): readonly string[] => {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
}

/** The path without the values that differ between runs: ids and query values. */
function formOfPath(path: string): string {
  const [head = '', query] = path.split('?');
  const names = query === undefined ? '' : `?${[...new URLSearchParams(query).keys()].toSorted().join('&')}`;
  return `${head.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '{id}')}${names}`;
}

function formOfText(text: string): string {
  if (text === '') return '';
  try {
    return formOf(JSON.parse(text));
  } catch {
    return '(no JSON)';
  }
}

/** The names of all members, with values only for error codes and order states. */
function formOf(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(formOf))].join('|')}]`;
  if (typeof value !== 'object' || value === null) return '';
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const texts = members.map(([name, member]) =>
    ['code', 'state'].includes(name) && typeof member === 'string' ? `${name}=${member}` : `${name}${formOf(member)}`,
  );
  return `{${texts.join(' ')}}`;
}
