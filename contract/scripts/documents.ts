import { readdirSync, readFileSync } from 'node:fs';
import { buildAsyncApi, buildOpenApi, renderOrderStates } from '../src/index.ts';
import { renderClientEndpoints } from './print-client-endpoints.ts';
import { renderErrorTexts } from './print-error-texts.ts';
import { renderErrors } from './print-errors.ts';
import { renderEvents } from './print-events.ts';
import { renderLimits } from './print-limits.ts';
import { renderTables } from './print-tables.ts';

export { formatMarkdownTable } from './format-table.ts';
export { type ExampleTab, type OperationPage, renderReference } from './reference/print-reference.ts';

const specification = new URL('../../docs/specification/', import.meta.url);
const printPage = (name: string) => renderTables(readFileSync(new URL(name, specification), 'utf8'));

/** The documents generated from the contract, by their paths in the repository. */
export const documents: Readonly<Record<string, () => string>> = {
  'docs/reference/openapi.json': () => `${JSON.stringify(buildOpenApi(), null, 2)}\n`,
  'docs/reference/asyncapi.json': () => `${JSON.stringify(buildAsyncApi(), null, 2)}\n`,
  'contract/src/client-endpoints.json': renderClientEndpoints,
  'contract/src/documents/error-texts.ts': renderErrorTexts,
  'docs/reference/order-states.md': renderOrderStates,
  'docs/reference/events.md': renderEvents,
  'docs/reference/errors.md': renderErrors,
  'docs/reference/limits.md': renderLimits,
  // Handwritten text with generated tables.
  ...Object.fromEntries(
    readdirSync(specification).map((name) => [`docs/specification/${name}`, () => printPage(name)]),
  ),
};
