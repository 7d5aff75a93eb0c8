#!/usr/bin/env node
import { makeMcpCommand } from '@agent-platform/cli-core/mcp-command';
import { runProcess } from '@agent-platform/cli-core/run-process';

// Accepts the options of `agentp mcp`.
const catalogue = [makeMcpCommand(() => import('./server/serve.ts'))];
await runProcess(['mcp', ...process.argv.slice(2)], async () => catalogue);
