import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// Each case is a file with a single type import. The checker must reject the first list and accept the second.
const refused: readonly (readonly [rule: string, file: string, imported: string])[] = [
  ['the contract imports no package', 'contract/src/operations/order.ts', '@agent-platform/sdk'],
  ['the SDK does not import the server', 'sdk/src/transport.ts', '@agent-platform/server'],
  ['the SDK does not import the CLI', 'sdk/src/resources/bots.ts', '@agent-platform/cli'],
  ['the CLI does not import the contract', 'cli/src/commands/register.ts', '@agent-platform/contract'],
  ['the CLI does not import the server', 'cli/src/commands/session.ts', '@agent-platform/server'],
  ['the CLI does not import the MCP server', 'cli/src/commands/session.ts', '@agent-platform/mcp'],
  ['what both programs share imports neither', 'cli-core/src/session/session.ts', '@agent-platform/mcp'],
  ['the MCP server does not import the CLI', 'mcp/src/main.ts', '@agent-platform/cli'],
  ['the MCP server does not import the server', 'mcp/src/server/serve.ts', '@agent-platform/server'],
  ['a tool does not import the MCP server', 'sdk/src/tools/tool.ts', '@agent-platform/mcp'],
  ['examples do not import the contract', 'examples/src/demo.ts', '@agent-platform/contract'],
  ['the suite computes nothing from the contract', 'conformance/src/context/check.ts', '@agent-platform/contract'],
  ['nor do tests of the suite', 'conformance/src/context/check.test.ts', '@agent-platform/contract'],
  ['nor does its testing folder', 'conformance/testing/proxy.ts', '@agent-platform/contract'],
  ['the suite does not import the server', 'conformance/src/context/check.ts', '@agent-platform/server'],
  ['the benchmarks do not import the server', 'bench/src/main.ts', '@agent-platform/server'],
  ['the server does not import the SDK', 'server/src/app.ts', '@agent-platform/sdk'],
  ['a package does not import the files of another package', 'sdk/src/transport.ts', '../../server/src/app.ts'],
  ['nor from a deeper folder', 'server/src/identity/token.ts', '../../../contract/src/limits.ts'],
  ['the platform imports no feature', 'server/src/platform/http/mount.ts', '../../identity/token.ts'],
  ['the platform does not import the store', 'server/src/platform/http/mount.ts', '../../store/store.ts'],
  ['rate limits import no feature', 'server/src/rate-limits/limiter.ts', '../identity/token.ts'],
  ['wake-ups import no feature', 'server/src/wake-ups/wake-ups.ts', '../events/event-commands.ts'],
  ['the storage of files imports no feature', 'server/src/files/storage.ts', '../attachments/attachment.ts'],
  ['the inspection of files does not import the store', 'server/src/inspection/verdict.ts', '../store/store.ts'],
  ['the store imports no feature', 'server/src/store/transact.ts', '../identity/token-commands.ts'],
  ['the server imports the SDK of Amazon only in one file', 'server/src/app.ts', '@aws-sdk/client-s3'],
  ['the server imports OpenTelemetry only for metrics and traces', 'server/src/app.ts', '@opentelemetry/api'],
  ['a feature imports no feature above it', 'server/src/identity/agent-commands.ts', '../orders/order-commands.ts'],
  [
    'features on one floor do not import each other',
    'server/src/posts/post-commands.ts',
    '../ledger/ledger-commands.ts',
  ],
  ['a feature does not import the operator', 'server/src/retention/retention.ts', '../operator/command.ts'],
  ['a feature does not import the composition', 'server/src/orders/order-commands.ts', '../app.ts'],
  ['a route imports no table', 'server/src/identity/identity-routes.ts', '../store/tables/identity-table.ts'],
  ['a route does not import the inside of the store', 'server/src/identity/identity-routes.ts', '../store/orm.ts'],
  ['a route does not import the ORM', 'server/src/orders/order-routes.ts', '@mikro-orm/core'],
  ['a route does not import the query builder', 'server/src/orders/order-routes.ts', 'kysely'],
  ['a command imports no route', 'server/src/orders/order-commands.ts', './order-routes.ts'],
  ['a command imports no set-up', 'server/src/orders/order-commands.ts', './orders-setup.ts'],
  ['a command imports no table', 'server/src/orders/order-commands.ts', '../store/tables/ledger-table.ts'],
  ['a query imports no table', 'server/src/orders/order-queries.ts', '../store/tables/ledger-table.ts'],
  ['a query imports no command', 'server/src/orders/order-queries.ts', './order-commands.ts'],
  ['a view imports no query', 'server/src/orders/order-view.ts', './order-queries.ts'],
  ['a table imports no user of it', 'server/src/store/tables/orders-table.ts', '../decode.ts'],
  ["the operator's commands import no table", 'server/src/operator/agents.ts', '../store/tables/identity-table.ts'],
  ['a port imports no feature', 'server/src/posts/attachment-port.ts', '../identity/agent-queries.ts'],
  ['a rule reads no file', 'server/src/orders/order.ts', 'node:fs'],
  ['a rule reads no file asynchronously', 'server/src/orders/order.ts', 'node:fs/promises'],
  ['a rule does not import the store', 'server/src/orders/order.ts', '../store/store.ts'],
  ['a rule does not import the ORM', 'server/src/orders/order.ts', '@mikro-orm/postgresql'],
  ['a rule imports no table', 'server/src/orders/order.ts', '../store/tables/orders-table.ts'],
  ['a rule imports no command', 'server/src/orders/order.ts', './order-commands.ts'],
  ['a rule reads no clock', 'server/src/orders/order.ts', '../platform/clock.ts'],
  ['a rule draws no random number', 'server/src/orders/order.ts', 'node:crypto'],
  ['a check imports no report', 'conformance/src/areas/orders/offers.ts', '../../reports/html/html-report.ts'],
  ['the context imports no area', 'conformance/src/context/run.ts', '../areas/orders/ordering.ts'],
  ['the transport of the SDK imports no resource', 'sdk/src/transport/send-request.ts', '../resources/bots.ts'],
  ['an output of the CLI imports no session', 'cli-core/src/output/layout.ts', '../session/session.ts'],
];

const accepted: readonly (readonly [file: string, imported: string])[] = [
  ['contract/src/operations/post.ts', 'typebox'],
  ['sdk/src/transport/send-request.ts', '@agent-platform/contract'],
  ['sdk/src/transport/send-request.test.ts', '@agent-platform/server'],
  ['cli-core/src/io/open-io.ts', '@agent-platform/sdk'],
  ['cli-core/src/io/open-io.test.ts', '@agent-platform/server'],
  ['cli/src/commands/register.ts', '@agent-platform/cli-core/command'],
  ['conformance/src/areas/story.ts', '@agent-platform/sdk'],
  ['conformance/src/areas/story.test.ts', '@agent-platform/server'],
  ['conformance/src/areas/orders/offers.ts', '../contacts/agent-pairs.ts'],
  ['server/src/main.ts', './process/start-server.ts'],
  ['server/src/app.ts', './identity/identity-routes.ts'],
  ['server/src/events/events-setup.ts', './event-routes.ts'],
  ['server/src/posts/post-routes.ts', '../store/store.ts'],
  ['server/src/posts/post-routes.ts', '../identity/tokens/token-queries.ts'],
  ['server/src/orders/order-commands.ts', '../ledger/ledger-commands.ts'],
  ['server/src/posts/post-queries.ts', '../store/decode.ts'],
  ['server/src/posts/attachment-port.ts', '../store/store.ts'],
  ['server/src/posts/post-view.ts', '../store/decode.ts'],
  ['server/src/posts/post.ts', '@agent-platform/contract'],
  ['server/src/posts/post.test.ts', '../store/store.ts'],
  ['server/src/store/tables/all-tables.ts', './posts-table.ts'],
];

const checker = fileURLToPath(new URL('check-imports.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agent-platform-imports-'));

function writeFile(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text, { flag: 'a' });
}

function plant(file: string, imported: string): void {
  writeFile(file, `import type {} from '${imported}';\n`);
  if (imported.startsWith('.')) writeFile(resolved(file, imported), '');
}

function resolved(file: string, imported: string): string {
  return imported.startsWith('.') ? posix.join(posix.dirname(file), imported) : imported.replace('node:', '');
}

let faults: readonly string[];

function faultsOf(file: string, imported: string): readonly string[] {
  return faults.filter((line) => line.startsWith(`${file} imports ${resolved(file, imported)}: `));
}

beforeAll(() => {
  for (const [, file, imported] of refused) plant(file, imported);
  for (const [file, imported] of accepted) plant(file, imported);
  writeFile('server/src/telemetry/open-telemetry.ts', '');
  writeFile('server/src/process/eager.ts', "import '../telemetry/open-telemetry.ts';\n");
  writeFile('server/src/process/lazy.ts', "await import('../telemetry/open-telemetry.ts');\n");
  plant('sdk/src/orders/left/one.ts', '../right/two.ts');
  plant('sdk/src/orders/right/three.ts', '../left/four.ts');
  for (let count = 1; count <= 21; count += 1) {
    writeFile(`bench/src/large/file-${count}.ts`, '');
    if (count <= 20) writeFile(`bench/src/small/file-${count}.ts`, '');
    writeFile(`bench/src/small/file-${count}.test.ts`, '');
  }
  for (const name of ['find-server', 'dev']) {
    writeFile(`cli/src/commands/dev/${name}.ts`, "export const server = '@agent-platform/server/package.json';\n");
  }
  const manifests = {
    cli: { name: 'cli', peerDependencies: { mcp: '*' } },
    mcp: { name: 'mcp', dependencies: { contract: '*' }, devDependencies: { sdk: '*' } },
    sdk: { name: 'sdk', dependencies: { contract: '*', cli: '*' } },
    contract: { name: 'contract' },
  };
  for (const [name, manifest] of Object.entries(manifests)) {
    writeFile(`${name}/package.json`, JSON.stringify(manifest));
  }
  writeFile('bench/src/long.ts', `/**\n${' * A line.\n'.repeat(299)} */\n`);
  const { stderr } = spawnSync(process.execPath, [checker], { cwd: folder, encoding: 'utf8' });
  faults = stderr.split('\n');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the directions of imports', () => {
  it.each(refused)('%s: %s may not import %s', (_rule, file, imported) => {
    expect(faultsOf(file, imported)).not.toEqual([]);
  });

  it.each(accepted)('%s may import %s', (file, imported) => {
    expect(faultsOf(file, imported)).toEqual([]);
  });

  it('form no cycle between folders, even if no file is part of one', () => {
    expect(faults).toContain('sdk/src/orders: left, right import each other in a cycle');
  });
});

describe('the packages', () => {
  it('form no cycle, including optional peers and test dependencies', () => {
    const lines = faults.filter((line) => line.startsWith('packages'));
    expect(lines).toEqual(['packages depend on each other in a cycle: cli -> mcp -> sdk -> cli']);
  });
});

describe('OpenTelemetry', () => {
  it('is loaded on demand, never with the server', () => {
    expect(faults.filter((line) => line.startsWith('server/src/process/'))).toEqual([
      'server/src/process/eager.ts imports server/src/telemetry/open-telemetry.ts: OpenTelemetry is loaded on demand',
    ]);
  });
});

describe('an optional peer', () => {
  it('is named only by the file of the CLI that resolves it', () => {
    expect(faults.filter((line) => line.includes('may name it'))).toEqual([
      'cli/src/commands/dev/dev.ts names @agent-platform/server; only cli/src/commands/dev/find-server.ts may name it',
      'cli/src/commands/session.ts names @agent-platform/server; only cli/src/commands/dev/find-server.ts may name it',
      'cli-core/src/session/session.ts names @agent-platform/mcp; only cli/src/commands/find-mcp.ts may name it',
      'cli/src/commands/session.ts names @agent-platform/mcp; only cli/src/commands/find-mcp.ts may name it',
    ]);
  });
});

describe('a folder', () => {
  it('has at most 20 source files', () => {
    expect(faults).toContain('bench/src/large: 21 source files in one folder, at most 20');
    expect(faults.filter((line) => line.startsWith('bench/src/small:'))).toEqual([]);
  });
});

describe('a file', () => {
  it('has at most 300 lines, including comment lines', () => {
    expect(faults).toContain('bench/src/long.ts: 301 lines in one file, at most 300');
  });
});
