import { type ClientEndpoint, operations } from '@agent-platform/contract/client';
import { ConfigurationError } from '../errors.ts';
import { checkOptions, optionKinds } from '../known-options.ts';
import { ApiPromise } from '../transport/api-promise.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { Transport } from '../transport/transport.ts';

/** A request to any path of the API. */
export interface RawRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path with the query, relative to the address of the server and with a leading `/`: `/api/v1/orders?page=2`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object | undefined;
}

// Matches path segments that URL parsers would change: empty ones, `.` and `..`, also percent-encoded.
const nowhere = /^(?:\.|%2e){0,2}$/i;
const methods: readonly string[] = ['GET', 'POST', 'PATCH', 'DELETE'] satisfies RawRequest['method'][];

/** Sends a request with the same retries, credential and errors as other calls; `data` is the parsed response body. */
export function sendRawRequest(transport: Transport, request: RawRequest, options?: CallOptions): ApiPromise<unknown> {
  const send = async () => {
    const { body } = request;
    return await transport.send(describe(request), { body }, options, {
      accepts: (data, status) => data !== undefined || status === 204,
    });
  };
  return new ApiPromise(send());
}

/** Requests to unknown paths are only retried with GET, because repeating another method may have a second effect. */
function describe(request: RawRequest): ClientEndpoint {
  checkOptions('request()', request, {
    method: optionKinds.text,
    path: optionKinds.text,
    body: optionKinds.record,
  });
  const { method, path } = request;
  if (!methods.includes(method)) throw new ConfigurationError(`method "${method}" is none of ${methods.join(', ')}.`);
  const [name = ''] = path.split('?');
  const [root, ...segments] = name.split('/');
  const isPath = root === '' && segments.every((segment) => !nowhere.test(segment));
  if (!isPath || /[#{}\\]|[^\x21-\x7e]/.test(path)) {
    const hint = 'Encode other characters with encodeURIComponent';
    throw new ConfigurationError(`path is "${path}"; it must be a path such as /api/v1/orders?page=2. ${hint}.`);
  }
  const known = operations.find((operation) => operation.method === method && matches(operation.path, name));
  // A raw request would not store the token in the response.
  if (known?.id === 'registerBot' || known?.id === 'rotateToken') {
    throw new ConfigurationError(
      `${method} ${name} returns a token. Use register() or tokens.rotate(), which store it.`,
    );
  }
  return known === undefined
    ? {
        id: `${method} ${name}`,
        method,
        path,
        auth: 'bearer',
        repeat: method === 'GET' ? 'safe' : 'never',
        replies: {},
        errors: [],
      }
    : { ...known, path };
}

function matches(template: string, path: string): boolean {
  const [expected, given] = [template.split('/'), path.split('/')];
  const isSame = expected.every((part, at) => part === given[at] || (part.startsWith('{') && (given[at] ?? '') !== ''));
  return expected.length === given.length && isSame;
}
