#!/usr/bin/env node
import * as modules from 'node:module';
import process from 'node:process';
import { makeFolder } from '@agent-platform/cli-core/credentials/make-folder';
import { findHomeFolder } from '@agent-platform/cli-core/io/home-folder';
import { findCompileCacheFolder } from './code-folder.ts';
import { loadCatalogue } from './load-catalogue.ts';

// Runs before all other modules are loaded, so that their code is cached. Older versions of Node.js, which lack
// `enableCompileCache`, are refused later.
const codeFolder = findCompileCacheFolder(process.env, findHomeFolder());
try {
  makeFolder(codeFolder);
  modules.enableCompileCache?.(codeFolder);
} catch {
  // Runs without a cache, because `enableCompileCache` would never return if the folder cannot be created.
}
const { runProcess } = await import('@agent-platform/cli-core/run-process');
await runProcess(process.argv.slice(2), loadCatalogue);
