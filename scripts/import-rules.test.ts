import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// Each case is one file with one import; the linter with the configuration of
// this repository must refuse the first list and accept the second.
const refused: readonly (readonly [rule: string, file: string, imported: string])[] = [
  ['the contract knows nobody', 'contract/src/order.ts', '@agent-platform/sdk'],
  ['the SDK does not know the server', 'sdk/src/transport/transport.ts', '@agent-platform/server'],
  ['the SDK does not know the CLI', 'sdk/src/resources/bots.ts', '@agent-platform/cli'],
  ['the CLI does not know the contract', 'cli/src/commands/register.ts', '@agent-platform/contract'],
  ['the CLI does not know the server', 'cli/src/session/session.ts', '@agent-platform/server'],
  ['examples do not know the contract', 'examples/src/demo.ts', '@agent-platform/contract'],
  ['the suite computes nothing from the contract', 'conformance/src/check.ts', '@agent-platform/contract'],
  ['nor do its tests', 'conformance/src/check.test.ts', '@agent-platform/contract'],
  ['the suite does not know the server', 'conformance/src/check.ts', '@agent-platform/server'],
  ['the benchmarks do not know the server', 'bench/src/main.ts', '@agent-platform/server'],
  ['the server does not know the SDK', 'server/src/app.ts', '@agent-platform/sdk'],
  ['nobody reads the files of another package', 'sdk/src/transport/transport.ts', '../../server/src/app.ts'],
  ['nor from deeper down', 'server/src/identity/tokens/token.ts', '../../../../contract/src/limits.ts'],
  ['the platform knows no feature', 'server/src/platform/http/mount.ts', '../../identity/tokens/token.ts'],
  ['the platform knows no store', 'server/src/platform/http/mount.ts', '../../store/store.ts'],
  ['rate limits know no feature', 'server/src/rate-limits/limiter.ts', '../identity/tokens/token.ts'],
  ['wake-ups know no feature', 'server/src/wake-ups/wake-ups.ts', '../events/event-commands.ts'],
  ['the storage of files knows no feature', 'server/src/files/storage.ts', '../attachments/attachment.ts'],
  ['the inspection of files knows no store', 'server/src/inspection/verdict.ts', '../store/store.ts'],
  ['the store knows no command of a feature', 'server/src/store/all-tables.ts', '../identity/tokens/token-commands.ts'],
  ['a route never sees a table', 'server/src/identity/identity-routes.ts', '../store/tables/identity/bots-table.ts'],
  ['a route never sees the inside of the store', 'server/src/identity/identity-routes.ts', '../store/orm.ts'],
  ['a route never sees the ORM', 'server/src/orders/orders-routes.ts', '@mikro-orm/core'],
  ['a route never sees the query builder', 'server/src/orders/orders-routes.ts', 'kysely'],
  ['a command knows no route', 'server/src/orders/order-commands.ts', './orders-routes.ts'],
  ['a command never sees a table', 'server/src/orders/order-commands.ts', '../store/tables/ledger/wallets-table.ts'],
  ['a query never sees a table', 'server/src/orders/order-queries.ts', '../store/tables/ledger/wallets-table.ts'],
  ['a query needs no command', 'server/src/orders/order-queries.ts', './order-commands.ts'],
  ['a view reads nothing', 'server/src/orders/order-view.ts', './order-queries.ts'],
  ['a table knows no user of it', 'server/src/store/tables/orders/orders-table.ts', '../../../orders/order-queries.ts'],
  [
    "the operator's commands see no table",
    'server/src/operator/commands/agents.ts',
    '../../store/tables/identity/bots-table.ts',
  ],
  ['a port knows no feature', 'server/src/posts/attachment-port.ts', '../attachments/attachment-queries.ts'],
  ['a rule reads no file', 'server/src/orders/order.ts', 'node:fs'],
  ['a rule reads no file later either', 'server/src/orders/order.ts', 'node:fs/promises'],
  ['a rule knows no store', 'server/src/orders/order.ts', '../store/store.ts'],
  ['a rule knows no ORM', 'server/src/orders/order.ts', '@mikro-orm/postgresql'],
  ['a rule knows no table', 'server/src/orders/order.ts', '../store/tables/orders/orders-table.ts'],
  ['a rule knows no command', 'server/src/orders/order.ts', './order-commands.ts'],
  ['a rule knows no clock', 'server/src/orders/order.ts', '../platform/clock.ts'],
  ['a rule draws no random number', 'server/src/orders/order.ts', 'node:crypto'],
];

const accepted: readonly (readonly [file: string, imported: string])[] = [
  ['contract/src/post.ts', 'typebox'],
  ['sdk/src/transport/attempt.ts', '@agent-platform/contract'],
  ['sdk/src/transport/attempt.test.ts', '@agent-platform/server'],
  ['cli/src/io/open-io.ts', '@agent-platform/sdk'],
  ['cli/src/io/open-io.test.ts', '@agent-platform/server'],
  ['conformance/src/story.ts', '@agent-platform/sdk'],
  ['conformance/src/story.test.ts', '@agent-platform/server'],
  ['server/src/main.ts', './identity/identity-routes.ts'],
  ['server/src/posts/posts-routes.ts', '../store/store.ts'],
  ['server/src/posts/posts-routes.ts', '../identity/tokens/token-queries.ts'],
  ['server/src/posts/post-commands.ts', '../ledger/ledger-commands.ts'],
  ['server/src/posts/post-queries.ts', '../store/decode.ts'],
  ['server/src/posts/attachment-port.ts', '../store/store.ts'],
  ['server/src/posts/post-view.ts', '../store/decode.ts'],
  ['server/src/posts/post.ts', '@agent-platform/contract'],
  ['server/src/posts/post.test.ts', '../store/store.ts'],
  ['server/src/store/tables/all-tables.ts', './posts-table.ts'],
];

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agent-platform-imports-'));
const namedImport: Record<string, string> = {
  '../platform/clock.ts': 'systemClock',
  'node:crypto': 'randomUUID',
};

function place(kind: string, index: number, file: string): string {
  // Many cases share a file's name; a folder in front would change its place
  // in the tree, so the number goes into the name.
  return file.replace(/([^/]+)$/, (name) => `${kind}${index}-${name}`);
}

interface Report {
  readonly diagnostics: readonly { readonly category: string; readonly location: { readonly path: unknown } }[];
}

let complaints: ReadonlySet<string>;

beforeAll(() => {
  for (const name of ['biome.json', 'biome.import-rules.json']) cpSync(join(root, name), join(folder, name));
  const write = (file: string, imported: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `export { ${namedImport[imported] ?? 'x'} } from '${imported}';\n`);
  };
  for (const [index, [, file, imported]] of refused.entries()) write(place('bad', index, file), imported);
  for (const [index, [file, imported]] of accepted.entries()) write(place('good', index, file), imported);
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
  const flags = [
    '--only=style/noRestrictedImports',
    '--vcs-enabled=false',
    '--max-diagnostics=none',
    '--reporter=json',
  ];
  const { stdout } = spawnSync(process.execPath, [biome, 'lint', ...flags, '.'], { cwd: folder, encoding: 'utf8' });
  const report: Report = JSON.parse(stdout);
  complaints = new Set(report.diagnostics.map(({ location }) => String(location.path).replace(/^\.\//, '')));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the directions of imports', () => {
  it.each(refused)('%s: %s may not import %s', (_rule, file, imported) => {
    const index = refused.findIndex(([, other, what]) => other === file && what === imported);

    expect(complaints).toContain(place('bad', index, file));
  });

  it.each(accepted)('%s may import %s', (file, imported) => {
    const index = accepted.findIndex(([other, what]) => other === file && what === imported);

    expect(complaints).not.toContain(place('good', index, file));
  });
});
