import type { HttpRequest } from '../context/http/http-client.ts';
import type { FormPart } from '../context/http/multipart.ts';

const bodyMaxLength = 8_000;

/**
 * The line for a shell that asks the same again. `$BASE_URL` and the tokens are
 * variables, so that it holds no secret and works from anywhere.
 */
export function curlOf(request: HttpRequest, token: string | undefined, clean: (text: string) => string): string {
  if (request.isUpgrade === true) return handshakeOf(request, token, clean);
  const parts = ['curl -sS -i'];
  if (request.method === 'HEAD') parts.push('--head');
  else if (request.method !== 'GET') parts.push(`-X ${request.method}`);
  // What curl would otherwise take for patterns, or tidy up.
  if (/[[\]{}]/.test(request.path)) parts.push('--globoff');
  if (/\/\.{1,2}(\/|$)/.test(request.path)) parts.push('--path-as-is');
  parts.push(addressOf(clean(request.path)));
  if (token !== undefined) parts.push(`-H "Authorization: ${schemeOf(request)}$${token}"`);
  for (const [name, value] of Object.entries(request.headers)) {
    // A boundary is curl's own affair.
    const isForm = request.form !== undefined && name === 'content-type';
    if (name !== 'authorization' && !isForm) parts.push(`-H ${quote(`${name}: ${clean(value)}`)}`);
  }
  if (request.form !== undefined) return [...parts, ...request.form.map((part) => partOf(part, clean))].join(' ');
  if (request.body === '') return parts.join(' ');
  const isShown = request.body.length <= bodyMaxLength && !request.body.includes('\0');
  if (isShown) return [...parts, `--data-raw ${quote(clean(request.body))}`].join(' ');
  return `${parts.join(' ')} --data-binary @body  # ${request.body.length} characters, too long to show`;
}

// The headers of a handshake, with the key that the standard takes for its example. What
// the server sends can be read; whoever wants to answer takes a program for WebSockets.
const upgrade = [
  ...['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

function handshakeOf(request: HttpRequest, token: string | undefined, clean: (text: string) => string): string {
  const headers = upgrade.map((header) => `-H ${quote(header)}`);
  const bearer = token === undefined ? [] : [`-H "Authorization: ${schemeOf(request)}$${token}"`];
  const address = `"http\${WS_URL#ws}"${quote(clean(request.path))}`;
  return ['curl -sS -i -N --http1.1 --max-time 10', ...headers, ...bearer, address].join(' ');
}

// The bytes of a file are not in a report; a file of that kind under that name stands for them.
function partOf({ name, content, filename, type }: FormPart, clean: (text: string) => string): string {
  if (filename === undefined) return `-F ${quote(`${name}=${clean(Buffer.from(content).toString('utf8'))}`)}`;
  return `-F ${quote(`${name}=@${filename};type=${type ?? 'application/octet-stream'}`)}`;
}

function addressOf(path: string): string {
  const isPlain = /^[\w/.,:;?&=%~+-]*$/.test(path);
  return isPlain ? `"$BASE_URL${path}"` : `"$BASE_URL"${quote(path)}`;
}

function schemeOf({ headers }: HttpRequest): string {
  const scheme = /^(\S+) ./.exec(headers['authorization'] ?? '')?.[1];
  return scheme !== undefined && /^[A-Za-z]+$/.test(scheme) ? `${scheme} ` : '';
}

/** Quotes a text for a shell, so that it means nothing but itself. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
