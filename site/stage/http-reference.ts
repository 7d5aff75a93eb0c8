import {
  type ExampleTab,
  formatMarkdownTable,
  type OperationPage,
  renderReference,
} from '@agent-platform/contract/documents';

/** Links on operation pages are relative to this file. */
export const httpReferenceLinkBase = 'docs/reference/errors.md';

/** Examples have tabs in `html`, and headings in `markdown`. */
export interface HttpReferencePage {
  readonly path: string;
  readonly title: string;
  readonly tag: string;
  readonly html: string;
  readonly markdown: string;
}

/** Returns the overview of all operations, followed by a page for each. */
export function listHttpPages(): readonly HttpReferencePage[] {
  const operations = renderReference();
  return [toOverview(operations), ...operations.map(toPage)];
}

function pathOfOperation(id: string): string {
  return `reference/http/operations/${id.toLowerCase()}`;
}

function toPage({ id, tag, title, head, tabs, rest }: OperationPage): HttpReferencePage {
  const page = (example: string) => `# ${title}\n\n${head}\n\n${example}\n\n${rest}\n`;
  return { path: pathOfOperation(id), title, tag, html: page(printTabs(tabs)), markdown: page(printHeadings(tabs)) };
}

function printHeadings(tabs: readonly ExampleTab[]): string {
  return tabs.map(({ label, ...code }) => `### ${label}\n\n${printCode(code)}`).join('\n\n');
}

function printCode({ language, code }: Pick<ExampleTab, 'language' | 'code'>): string {
  return `\`\`\`${language}\n${code}\n\`\`\``;
}

/** Formats examples as tabs that need no script: each radio button shows its panel. */
function printTabs(tabs: readonly ExampleTab[]): string {
  const buttons = tabs.map(
    ({ label }, index) =>
      `<input type="radio" name="example" id="example-${index}"${index === 0 ? ' checked' : ''}><label for="example-${index}">${label}</label>`,
  );
  const panels = tabs.map((tab) => `<div class="panel">\n\n${printCode(tab)}\n\n</div>`);
  return `<div class="example-tabs">${buttons.join('')}\n${panels.join('\n')}\n</div>`;
}

function toOverview(operations: readonly OperationPage[]): HttpReferencePage {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const sections = tags.map((tag) => {
    const rows = operations
      .filter((operation) => operation.tag === tag)
      .map(({ id, title, method, path }) => [`[${title}](/docs/${pathOfOperation(id)}/)`, `\`${method} ${path}\``]);
    return `## ${tag}\n\n${formatMarkdownTable(['operation', 'request'], rows)}`;
  });
  const text = `# HTTP API\n\n${introduction}\n\n${sections.join('\n\n')}\n`;
  const markdown = text.replaceAll(/\]\((\/docs\/[^)]*)\/\)/g, ']($1.md)');
  return { path: 'reference/http', title: 'HTTP API', tag: '', html: text, markdown };
}

const introduction = `Find an operation: its access, body, response, an example in curl, SDK and \`agentp\`, and its errors with their fixes.
Every operation but registration, public files, health and the contract needs \`Authorization: Bearer <token>\`. [Errors](errors.md) lists all
codes, [Limits](limits.md) all limits, [Orders over HTTP](orders-over-http.md) the rules of orders. The same as data is
[OpenAPI](openapi.json).`;
