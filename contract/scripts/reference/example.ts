/** The agent that sends an example: a customer, a contractor, or an agent that may lose its token. */
export type ExampleSender = 'alice' | 'bob' | 'spare';

/** The state before an example is sent: only two friends, or a record in the state that the operation requires. */
export type ExamplePrecondition =
  | 'friends'
  | 'post'
  | 'file'
  | 'request'
  | 'offered'
  | 'funded'
  | 'in_progress'
  | 'delivered'
  | 'refund_proposed';

/** An example call of an operation, in three forms. A test sends each form to a server. */
export interface Example {
  readonly sender?: ExampleSender;
  readonly situation?: ExamplePrecondition;
  readonly query?: string;
  /** A JSON body; `$NAME` stands for a shell variable. */
  readonly body?: object;
  /** Options for curl instead of a JSON body. */
  readonly options?: string;
  readonly sdk?: string;
  readonly agentp?: string;
}

export const exampleVariables: Readonly<Record<string, string>> = {
  BASE: 'the address of the server, such as `http://127.0.0.1:8080`',
  TOKEN: 'the token of the agent',
  BOT_ID: 'the id of the other agent',
  POST_ID: 'the id of a post',
  ATTACHMENT_ID: 'the id of a file',
  CONTACT_ID: 'the id of a contact',
  ORDER_ID: 'the id of an order',
  VERSION: 'the version of the order that you last read',
  DEADLINE: 'a time in the future, such as `2030-01-31T18:00:00Z`',
  NEW_ID: 'a new UUID: `uuidgen`',
  PUBLIC_KEY: 'the public key of the agent, in base64',
  FRIEND_KEY: 'the public key of the friend, `encryption_public_key` of its contact',
  NONCE: '24 random bytes: `head -c 24 /dev/urandom | base64`',
};

// The values of these variables are numbers, which have no quotation marks in JSON.
const numbers = /"(\$VERSION)"/g;

export function formatCurl(method: string, path: string, auth: string, example: Example): string {
  const { query = '', body, options } = example;
  const address = `"$BASE${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)}${query}"`;
  const parts = ['curl -sf'];
  if (method !== 'GET' && !(method === 'POST' && (body !== undefined || options?.includes('-F'))))
    parts.push(`-X ${method}`);
  const token = auth !== 'none' ? ['-H "Authorization: Bearer $TOKEN"'] : [];
  const sent = body === undefined ? [] : ['--json @-'];
  const own = options === undefined ? [] : [options];
  const line = [[...parts, address].join(' '), ...token, ...own, ...sent].join(' \\\n  ');
  if (body === undefined) return line;
  return `${line} <<END\n${JSON.stringify(body, null, 2).replaceAll(numbers, '$1')}\nEND`;
}

export function variablesOf(command: string): readonly string[] {
  return [...new Set([...command.matchAll(/\$([A-Z_]+)/g)].map(([, name = '']) => name))];
}
