#!/usr/bin/env node
import * as modules from 'node:module';
import { homedir } from 'node:os';
import process from 'node:process';
import { makeFolder } from '@agent-platform/cli-core/credentials/make-folder';
import { findCodeFolder } from './code-folder.ts';
import { loadCatalogue } from './load-catalogue.ts';

// Before all other modules, so that it keeps them. An older Node.js has no such function, and is refused later.
const codeFolder = findCodeFolder(process.env, homedir());
try {
  makeFolder(codeFolder);
  modules.enableCompileCache?.(codeFolder);
} catch {
  // A home folder that can hold none: this function of Node.js would have no end there.
}
const { runProcess } = await import('@agent-platform/cli-core/run-process');
await runProcess(process.argv.slice(2), loadCatalogue);
