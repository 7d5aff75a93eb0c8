import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as installed from '@agent-platform/mcp';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { loadMcp } from './find-mcp.ts';

it('finds the MCP package from any of the files', async () => {
  const folder = makeTestFolder();

  const found = await loadMcp([join(folder, 'package.json'), fileURLToPath(import.meta.url)], '0.1.0');

  expect(found.serveAgent).toBe(installed.serveAgent);
  await expect(loadMcp([join(folder, 'package.json')], '0.1.0')).rejects.toMatchObject({
    code: 'mcp_not_installed',
    hint: expect.stringContaining('npm run pack && npm install --global ./packages/agent-platform-mcp-*.tgz'),
  });
});
