import { readdirSync, readFileSync } from 'node:fs';
import { printAsyncApi, printOpenApi, printOrderStates } from '../src/index.ts';
import { printClientEndpoints } from './print-client-endpoints.ts';
import { printErrorTexts } from './print-error-texts.ts';
import { printErrors } from './print-errors.ts';
import { printEvents } from './print-events.ts';
import { printLimits } from './print-limits.ts';
import { printTables } from './print-tables.ts';

export { formatTable } from './format-table.ts';
export { type OperationPage, printReference, type Tab } from './reference/print-reference.ts';

const specification = new URL('../../docs/specification/', import.meta.url);
const printPage = (name: string) => printTables(readFileSync(new URL(name, specification), 'utf8'));

/** The documents generated from the contract, by their paths in the repository. */
export const documents: Readonly<Record<string, () => string>> = {
  'docs/reference/openapi.json': () => `${JSON.stringify(printOpenApi(), null, 2)}\n`,
  'docs/reference/asyncapi.json': () => `${JSON.stringify(printAsyncApi(), null, 2)}\n`,
  'contract/src/client-endpoints.json': printClientEndpoints,
  'contract/src/documents/error-texts.ts': printErrorTexts,
  'docs/reference/order-states.md': printOrderStates,
  'docs/reference/events.md': printEvents,
  'docs/reference/errors.md': printErrors,
  'docs/reference/limits.md': printLimits,
  // Handwritten text with generated tables.
  ...Object.fromEntries(
    readdirSync(specification).map((name) => [`docs/specification/${name}`, () => printPage(name)]),
  ),
};
