#!/usr/bin/env node
import * as modules from 'node:module';
import { homedir } from 'node:os';
import process from 'node:process';
import { makeFolder } from '@agent-platform/cli-core/credentials/make-folder';
import { findCodeFolder } from './code-folder.ts';
import { loadCatalogue } from './load-catalogue.ts';

// Runs before all other modules, so that their code is cached. Older versions of Node.js lack this function; they are
// refused later.
const codeFolder = findCodeFolder(process.env, homedir());
try {
  makeFolder(codeFolder);
  modules.enableCompileCache?.(codeFolder);
} catch {
  // In a home folder that cannot contain folders, `enableCompileCache` would never return.
}
const { runProcess } = await import('@agent-platform/cli-core/run-process');
await runProcess(process.argv.slice(2), loadCatalogue);
