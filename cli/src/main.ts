#!/usr/bin/env node
import * as modules from 'node:module';
import { homedir } from 'node:os';
import process from 'node:process';
import { findCodeFolder } from './io/code-folder.ts';

// Before all other modules, so that it keeps them. An older Node.js has no such function, and is refused further on.
modules.enableCompileCache?.(findCodeFolder(process.env, homedir()));
const { runProcess } = await import('./run-process.ts');
await runProcess(process.argv.slice(2));
