// The entry point `@agent-platform/sdk/approvals`: acts that were decided, in a database file; for Node.js, Bun and Deno.
import '../supported-node.ts';

export { type Act, ActJournal } from '../approvals/act-journal.ts';
