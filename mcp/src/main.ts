#!/usr/bin/env node
import { runProcess } from '@agent-platform/cli';

// The options are those of `agentp mcp`, which finds this package beside this file.
await runProcess(['mcp', ...process.argv.slice(2)]);
