import { hostProcess } from '../host.ts';

// Codes of errors before any byte of a request is sent: the certificate was refused, or the server uses no TLS.
const handshakeFaults =
  /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_ALTNAME_INVALID$|ERR_SSL_WRONG_VERSION_NUMBER$)/;
// `fetch` refuses some ports without connecting, a proxy may refuse the connection, and Deno reports a failed connection
// only in the message. Addresses cannot contain these words, because their spaces would be encoded.
const notSentWithoutCode =
  /^bad port$|Requests to port \d+ are blocked$|\): client error \(Connect\): | when HTTP Tunneling$/;
const chainMaxLength = 8;

/**
 * Whether an error of `fetch` proves that the request was not sent: unknown host name, closed port, failed TLS
 * handshake, or a proxy that refused. After any other error, the request may have reached the server.
 */
export function wasNotSent(error: unknown): boolean {
  return causesOf(error).some(
    (cause) =>
      hasMember(cause, 'syscall', /^(connect|getaddrinfo)$/) ||
      hasMember(cause, 'code', /^(UND_ERR_CONNECT_TIMEOUT|ENOTFOUND|EAI_AGAIN|ECONNREFUSED)$/) ||
      hasMember(cause, 'code', handshakeFaults) ||
      notSentWithoutCode.test(cause.message),
  );
}

/** Returns the innermost message that is not empty, because it is the most specific one. */
export function findInnermostMessage(error: unknown): string {
  const messages = causesOf(error).map((cause) => cause.message.trim() || codeOf(cause));
  return messages.findLast((message) => message !== '') ?? 'no reason given';
}

/** Describes a connection failure; if the proxy failed, names the proxy that Node.js reads from the environment. */
export function describeConnectFailure(origin: string, error: unknown): string {
  const message = findInnermostMessage(error);
  const name = origin.startsWith('https:') ? 'https_proxy' : 'http_proxy';
  const proxy = URL.parse(hostProcess?.env?.[name] ?? hostProcess?.env?.[name.toUpperCase()] ?? '');
  // Only errors of the proxy contain its address.
  const isOfProxy = /\bproxy\b/i.test(message) || (proxy !== null && message.includes(proxy.host));
  if (!isOfProxy) return message;
  return `${message}, at the proxy ${proxy === null ? 'of this program' : `${proxy.host} (${name.toUpperCase()})`}`;
}

/** Whether an error or its causes contain a secret. HTTP clients copy data that they cannot parse into errors. */
export function containsSecret(error: unknown, hide: (text: string) => string): boolean {
  return causesOf(error).some((cause) =>
    Object.getOwnPropertyNames(cause).some((name) => {
      const value: unknown = Reflect.get(cause, name);
      return typeof value === 'string' && hide(value) !== value;
    }),
  );
}

function causesOf(error: unknown): Error[] {
  const chain: Error[] = [];
  let cause = error;
  while (cause instanceof Error && chain.length < chainMaxLength) {
    chain.push(cause);
    cause = cause.cause;
  }
  return chain;
}

function hasMember(error: Error, name: 'syscall' | 'code', pattern: RegExp): boolean {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' && pattern.test(value);
}

function codeOf(error: Error): string {
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' ? code : '';
}
