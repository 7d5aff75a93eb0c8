import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as installed from '@agent-platform/mcp';
import { expect, it, onTestFinished } from 'vitest';
import { loadMcp, type McpPackage } from './find-mcp.ts';

// The compiler compares the package with what this program expects of it.
const expected: McpPackage = installed;

it('finds the MCP package from any of the files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'find-mcp-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));

  const found = await loadMcp([join(folder, 'package.json'), fileURLToPath(import.meta.url)], '0.1.0');

  expect(found.serveAgent).toBe(expected.serveAgent);
  await expect(loadMcp([join(folder, 'package.json')], '0.1.0')).rejects.toMatchObject({
    code: 'mcp_not_installed',
    hint: expect.stringContaining('npm install --global @agent-platform/mcp@0.1.0'),
  });
});
