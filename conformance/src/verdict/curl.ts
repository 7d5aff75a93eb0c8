import type { HttpRequest } from '../context/http/http-client.ts';
import type { FormPart } from '../context/http/multipart.ts';

/** Functions and texts that format the variable parts of a request as shell words. */
export interface ShellWords {
  text(text: string): string;
  address(base: string, path: string): string;
  /** The value of the Authorization header, for use in double quotes; undefined if no header is sent. */
  readonly authorization: string | undefined;
  /** The curl options for a body, optionally followed by a comment for the end of the line. */
  body(body: string): readonly string[];
  part(part: FormPart): string;
}

const bodyMaxLength = 8_000;

/**
 * The shell command that repeats a request. `$BASE_URL` and the tokens are variables, so the command contains no secret
 * and works on any machine.
 */
export function formatCurlCommand(
  request: HttpRequest,
  token: string | undefined,
  clean: (text: string) => string,
): string {
  const scheme = /^[A-Za-z]+ (?=.)/.exec(request.headers['authorization'] ?? '')?.[0] ?? '';
  const words: ShellWords = {
    text: (text) => quoteForShell(clean(text)),
    address: (base, path) =>
      isShellSafe(clean(path)) ? `"${base}${clean(path)}"` : `"${base}"${quoteForShell(clean(path))}`,
    authorization: token === undefined ? undefined : `${scheme}$${token}`,
    body: (body) => {
      const isShown = body.length <= bodyMaxLength && !body.includes('\0');
      if (isShown) return [`--data-raw ${quoteForShell(clean(body))}`];
      return ['--data-binary @body', ` # ${body.length} characters, too long to show`];
    },
    // A report does not contain the content of files, so the command refers to a local file with that name.
    part: ({ name, content, filename, type = 'application/octet-stream' }) =>
      filename === undefined
        ? `-F ${quoteForShell(`${name}=${clean(Buffer.from(content).toString('utf8'))}`)}`
        : `-F ${quoteForShell(`${name}=@${filename};type=${type}`)}`,
  };
  return buildCurlCommand(request, words, ['-sS', '-i']);
}

export function buildCurlCommand(request: HttpRequest, words: ShellWords, options: readonly string[]): string {
  const bearer = words.authorization === undefined ? [] : [`-H "Authorization: ${words.authorization}"`];
  if (request.isUpgrade === true) return handshakeOf(request, words, [...options, '-N'], bearer);
  const parts = ['curl', ...options];
  if (request.method === 'HEAD') parts.push('--head');
  else if (request.method !== 'GET') parts.push(`-X ${request.method}`);
  // Without these options, curl would expand brackets and braces and normalize dot segments.
  if (/[[\]{}]/.test(request.path)) parts.push('--globoff');
  if (/\/\.{1,2}(\/|$)/.test(request.path)) parts.push('--path-as-is');
  parts.push(words.address('$BASE_URL', request.path), ...bearer);
  for (const [name, value] of Object.entries(request.headers)) {
    // For a form, curl sets the content type itself, with its own boundary.
    const isForm = request.form !== undefined && name === 'content-type';
    if (name !== 'authorization' && !isForm) parts.push(`-H ${words.text(`${name}: ${value}`)}`);
  }
  if (request.form !== undefined) return [...parts, ...request.form.map(words.part)].join(' ');
  if (request.body === '') return parts.join(' ');
  // Without this option, curl would add the content type of a form.
  if (request.headers['content-type'] === undefined) parts.push("-H 'content-type:'");
  return [...parts, ...words.body(request.body)].join(' ');
}

// The headers of a handshake, with the sample key of RFC 6455. curl shows the server's frames but cannot answer them.
const upgrade = [
  ...['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

function handshakeOf(
  request: HttpRequest,
  words: ShellWords,
  options: readonly string[],
  bearer: readonly string[],
): string {
  const headers = upgrade.map((header) => `-H ${quoteForShell(header)}`);
  // Without a time limit, curl would read the event stream forever.
  const address = words.address(`http\${WS_URL#ws}`, request.path);
  return ['curl', ...options, '--http1.1 --max-time 10', ...headers, ...bearer, address].join(' ');
}

/** Whether a text needs no escaping between double quotes in a shell. */
export function isShellSafe(text: string): boolean {
  return /^[\w/.,:;?&=%~+-]*$/.test(text);
}

export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
