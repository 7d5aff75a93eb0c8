import type { Fetch, Hooks } from '@agent-platform/sdk';
import type { Io } from '../io/io.ts';
import { toVisibleLine } from './visible-text.ts';

const bodyMaxLength = 20_000;
const hidden = '[hidden]';
const secretHeader = /^(?:authorization|proxy-authorization|cookie|set-cookie)$|token|secret|password|api-?key/i;
const secretMember = /^(?:invitation|password)$|(?:^|_)(?:token|secret)$|secret_key$/;

/**
 * A `fetch` that prints each exchange on stderr: request line, headers and bodies. It hides secrets: headers and JSON
 * members by their names, and tokens by their format.
 */
export function makeTracingFetch(io: Pick<Io, 'stderr' | 'now'>): Fetch {
  const print = (lines: readonly string[]): void => {
    io.stderr.write(lines.map((line) => `${toVisibleLine(hideTokens(line))}\n`).join(''));
  };
  return async (url, init) => {
    const sentAtMs = io.now().getTime();
    print([`> ${init.method} ${url}`, ...describeHeaders('>', init.headers), ...describeBody('>', init.body)]);
    const response = await fetch(url, init);
    const isJson = /^application\/(?:[\w.-]+\+)?json\b/.test(response.headers.get('content-type') ?? '');
    const body = isJson ? await response.clone().text() : undefined;
    const durationMs = io.now().getTime() - sentAtMs;
    print([
      `< ${response.status} in ${durationMs} ms`,
      ...describeHeaders('<', [...response.headers]),
      ...(body === undefined ? [`< (a body that is not JSON is not shown)`] : describeBody('<', body)),
    ]);
    return response;
  };
}

export function makeRetryTraceHooks(io: Pick<Io, 'stderr'>): Hooks {
  return {
    onRetry: ({ error, waitMs }) => {
      const text = `! ${error.message}; next attempt in ${Math.round(waitMs)} ms`;
      io.stderr.write(`${toVisibleLine(hideTokens(text))}\n`);
    },
  };
}

function describeHeaders(mark: string, headers: readonly (readonly [name: string, value: string])[]): string[] {
  return headers.map(([name, value]) => `${mark} ${name}: ${secretHeader.test(name) ? hidden : value}`);
}

function describeBody(mark: string, body: string | object | null): string[] {
  if (body === null || body === '') return [];
  if (typeof body !== 'string') return [`${mark} (a file)`];
  const text = hideMembers(body);
  return [`${mark} ${text.length > bodyMaxLength ? `${text.slice(0, bodyMaxLength)}…` : text}`];
}

// Hides a body that is not JSON, because this program cannot find secrets in it.
function hideMembers(body: string): string {
  try {
    return JSON.stringify(
      JSON.parse(body, (name, value) => (secretMember.test(name) && value !== null ? hidden : value)),
    );
  } catch {
    return `(${body.length} characters that are not JSON)`;
  }
}

function hideTokens(text: string): string {
  return text.replaceAll(/apt_[\w-]+/g, `apt_${hidden}`);
}
