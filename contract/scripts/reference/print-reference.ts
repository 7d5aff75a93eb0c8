import type { TSchema } from 'typebox';
import { type Endpoint, type ErrorCode, errorStatuses, errorsOf, operations } from '../../src/index.ts';
import { errorGuide } from '../error-guide.ts';
import { formatMarkdownTable } from '../format-table.ts';
import { listMembers } from '../print-members.ts';
import { type Example, exampleVariables, formatCurl, variablesOf } from './example.ts';
import { examples } from './examples.ts';

/** A code block with one form of an example. */
export interface ExampleTab {
  readonly label: string;
  readonly language: string;
  readonly code: string;
}

/** The links in the texts are relative to `docs/reference`. */
export interface OperationPage {
  readonly id: string;
  readonly tag: string;
  readonly title: string;
  readonly method: string;
  readonly path: string;
  /** The text before the example; `tabs` contains the example, and `rest` the text after it. */
  readonly head: string;
  readonly tabs: readonly ExampleTab[];
  readonly rest: string;
}

const access = {
  none: 'No token is needed.',
  bearer: 'Any active agent may call it, with its token.',
  optional: 'A token is optional. An invalid token is refused.',
};

const repeats = {
  safe: 'at any time: it changes nothing',
  idempotent: 'at any time: a repeat changes nothing more',
  'with-key': 'with the same id and the same content: it takes effect once',
  never: 'only after it has found out that the first call had no effect',
};

const statuses: Readonly<Record<number, string>> = {
  200: 'The operation succeeded.',
  201: 'The record was created.',
  206: 'The requested part of the file.',
  304: 'The file is unchanged.',
};

/** Renders the reference of the HTTP API: one page for each operation. */
export function renderReference(): readonly OperationPage[] {
  return Object.values<Endpoint>(operations).map((operation) => {
    const example: Example = examples[operation.id as keyof typeof examples];
    const curl = formatCurl(operation.method, operation.path, operation.auth, example);
    return {
      ...{ id: operation.id, tag: operation.tag, title: operation.summary, method: operation.method },
      path: operation.path,
      head: join(printHead(operation), '## Example', printVariables(curl, example)),
      tabs: [
        { label: 'curl', language: 'sh', code: curl },
        ...(example.sdk === undefined ? [] : [{ label: 'SDK', language: 'ts', code: example.sdk }]),
        ...(example.agentp === undefined ? [] : [{ label: 'agentp', language: 'sh', code: example.agentp }]),
      ],
      rest: join(printReplies(operation), printErrors(operation)),
    };
  });
}

const join = (...parts: readonly string[]) => parts.filter((part) => part !== '').join('\n\n');

function printHead(operation: Endpoint): string {
  const { id, method, path, auth, repeat, description = '', params, query, body, form } = operation;
  return join(
    `\`${method} ${path}\` (\`${id}\`)${operation.hasHead ? ', also with `HEAD`' : ''}`,
    description,
    `**Access.** ${access[auth]}`,
    `**Repeats.** A client may repeat the call ${repeats[repeat]}.`,
    printMembers('Path', 'parameter', params),
    printMembers('Query', 'parameter', query),
    printMembers('Body', 'member', body),
    printMembers('Form', 'field', form),
  );
}

function printMembers(heading: string, name: string, schema: TSchema | undefined): string {
  const members = schema === undefined ? [] : listMembers(schema);
  if (members.length === 0) return schema === undefined ? '' : join(`## ${heading}`, 'An empty object, `{}`.');
  const rows = members.map(({ path, form, meaning, isOptional }) => [
    `\`${path}\``,
    form,
    [isOptional ? 'optional' : 'required', meaning].filter((text) => text !== '').join('. '),
  ]);
  return join(`## ${heading}`, formatMarkdownTable([name, 'form', 'meaning'], rows));
}

function printVariables(curl: string, { sdk = '', agentp = '' }: Example): string {
  const names = variablesOf(`${curl}\n${agentp}`).filter((name) => name !== 'BASE');
  const list = names.map((name) => `- \`${name}\`: ${exampleVariables[name]}`).join('\n');
  const client = sdk.includes('platform.') ? ' `platform` is [an open client](../../sdk/docs/agent-folder.md).' : '';
  return `A test sends this example to a server.${client}${list === '' ? '' : ` Set these variables first:\n\n${list}`}`;
}

function printReplies({ replies }: Endpoint): string {
  const sections = Object.entries(replies).map(([status, schema]) => {
    const members = listMembers(schema);
    const hasMeanings = members.some(({ meaning }) => meaning !== '');
    const rows = members.map(({ path, form, meaning }) => [`\`${path}\``, form, ...(hasMeanings ? [meaning] : [])]);
    const headings = ['member', 'form', ...(hasMeanings ? ['meaning'] : [])];
    const table = rows.length === 0 ? '' : formatMarkdownTable(headings, rows);
    return { title: `**${status}.** ${statuses[Number(status)] ?? ''}`, table };
  });
  // Statuses with the same body share one table.
  const parts = sections.map(({ title, table }, index) =>
    join(title, table === sections[index + 1]?.table ? '' : table),
  );
  return join('## Response', ...parts);
}

function printErrors(operation: Endpoint): string {
  const codes = errorsOf(operation);
  const ordered = [...operation.errors, ...codes.filter((code) => !operation.errors.includes(code))];
  const cells = (code: ErrorCode) => [
    `[\`${code}\`](errors.md#${code})`,
    String(errorStatuses[code]),
    errorGuide[code].cause,
    errorGuide[code].fix,
  ];
  return join('## Errors', formatMarkdownTable(['code', 'status', 'cause', 'fix'], ordered.map(cells)));
}
