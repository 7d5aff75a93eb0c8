// The entry point `@agent-platform/sdk/approvals`: decided acts, acts that wait for a person, and the spending policy,
// all stored in an agent's state folder; for Node.js, Bun and Deno.
import '../supported-node.ts';

export { ActJournal, openJournal } from '../approvals/act-journal.ts';
export { readSpendingPolicy, type SpendingPolicy } from '../approvals/spending-policy.ts';
export type { StoredApproval, StoredApprovals } from '../approvals/stored-approvals.ts';
export { isRefusal } from '../tools/execute-tool.ts';
export { ToolFailure } from '../tools/tool-failure.ts';
