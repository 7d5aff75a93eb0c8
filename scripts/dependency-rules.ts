import type { IForbiddenRuleType, IRegularForbiddenRuleType } from 'dependency-cruiser';

// The rules also apply to type imports. Tests may import everything, except in the conformance suite.

/** The packages that each package may import. */
const packages = {
  contract: [],
  testing: [],
  browser: [],
  server: ['contract'],
  sdk: ['contract'],
  'cli-core': ['sdk'],
  cli: ['sdk', 'cli-core'],
  mcp: ['contract', 'sdk', 'cli-core'],
  create: ['sdk'],
  examples: ['sdk', 'testing'],
  bench: ['testing'],
  conformance: ['sdk'],
  site: ['contract', 'server'],
};

/**
 * Packages that are loaded without an import: `agentp dev` starts the installed server package as a child process, and
 * `agentp mcp` loads the installed MCP package. Only the given files may contain the names of these packages.
 */
export const optionalPeers = [
  { from: /^cli(-core)?\//, name: "'@agent-platform/server", file: 'cli/src/commands/dev/find-server.ts' },
  { from: /^cli(-core)?\//, name: "'@agent-platform/mcp", file: 'cli/src/commands/find-mcp.ts' },
];

/** The folders and files of a package from the bottom up: each may import those before it. Others are at the top. */
const order = {
  'server/src':
    'platform < store|files|inspection|wake-ups|health-routes|docs-site-routes < rate-limits < search-index < identity < posts|ledger < ' +
    'events < contacts < messages < orders < profiles < attachments < web < agent-data < retention < backup < demo < operator < app < telemetry < process',
  'sdk/src':
    'credential|host|json|error-meanings < errors < crypto|credits|handler-pool|integer-option|known-options|open-telemetry|load-sqlite < file-lock|transport|untrusted < ' +
    'records|debug < credentials|files|handler-failures < state < contacts|orders|options < events|messages < resources',
  'cli-core/src':
    'surface|errors|version < io < output|credentials < options < session < command < mcp-command|program',
  'cli/src': 'code-folder < commands',
  'mcp/src': 'http < server',
  'conformance/src': 'package-files|world < context|payloads < areas < verdict < suite < reports',
};

const inServer = (name: string) => `^server/src/.*${name}\\.ts$`;
const database = '(^|node_modules/)(@mikro-orm/|(kysely|pg)(/|$))';
const network = '(^|node_modules/)(fastify|undici|pino)(/|$)';
const nodeIo = '^(fs|net|http|https|tls|dgram|dns|child_process|worker_threads|os|process|timers|sqlite|crypto)(/|$)';
const features = order['server/src'].split(' < ').slice(3, -4).join('|');

/** Forbidden imports of server files by the suffix of their names; a file without a suffix contains pure rules. */
const layers: readonly (readonly [rule: string, from: string, to: readonly string[], except?: string])[] = [
  ['a route never imports the inside of the store', inServer('-routes'), ['^server/src/store/(?!store.ts)', database]],
  ['only app and set-ups import routes', '^server/src/(?!app.ts)', [inServer('-routes')], inServer('-setup')],
  [
    'only app and programs import set-ups',
    '^server/src/(?!app.ts|backup-worker.ts|process|operator)',
    [inServer('-setup')],
  ],
  ['a query changes nothing', inServer('-queries'), [inServer('-commands')]],
  [
    'a view reads nothing',
    inServer('-view'),
    ['^server/src/store/(?!decode.ts)', inServer('-(commands|queries)'), database],
  ],
  ['a port imports nothing but the store', inServer('-port'), ['^server/src/(?!store/store.ts)']],
  ['a table is a definition', inServer('-table'), ['^server/src/(?!store/tables)']],
  ['only the list of tables imports tables', '^server/src/(?!store/tables)', [inServer('-table')]],
  [
    'a rule is pure: it imports no I/O, clock, store or higher layer',
    `^server/src/(${features})/`,
    [database, network, nodeIo, '^server/src/(store/|platform/clock)', inServer('-(commands|queries)')],
    inServer('-(routes|commands|queries|view|port|setup)'),
  ],
];

const tests = ['\\.test\\.ts$', '^[^/]+/(testing|scripts)/'];
const forbid = (
  name: string,
  from: string,
  to: IRegularForbiddenRuleType['to'],
  except: readonly string[] = tests,
) => ({ name, severity: 'error' as const, from: { path: from, pathNot: [...except] }, to });

/** In the format of dependency-cruiser. */
export const importRules: IForbiddenRuleType[] = [
  // Package names only resolve after an installation, which the launcher ensures. install-lines.ts belongs to no
  // package, so it is imported by its path.
  forbid(
    'other packages are imported by name',
    '^([^/]+)/',
    { path: '^(?!$1/|install-lines\\.ts$)', dependencyTypes: ['local'] },
    [...tests, '^scripts/run\\.mjs$'],
  ),
  ...Object.entries(packages).map(([name, known]) =>
    forbid(`${name} imports no package but ${known.join(', ') || 'those of others'}`, `^${name}/`, {
      path: `^@agent-platform/(?!(${known.join('|')})(/|$))`,
    }),
  ),
  forbid(
    'the suite and its tests derive nothing from the contract, because faults are generated from it',
    '^conformance/',
    { path: '^@agent-platform/(?!(conformance|sdk|server|testing)(/|$))' },
    ['^conformance/testing/operators/'],
  ),
  forbid(
    'the independent server of the suite imports no other package',
    '^conformance/testing/servers/(maps|formats)/',
    { path: '^(@agent-platform/|(?!conformance/testing/servers/(maps|formats)/)[\\w-]+/.*\\.ts$)' },
    [],
  ),
  ...Object.entries(order).flatMap(([root, floors]) =>
    floors.split(' < ').map((floor, at, names) =>
      forbid(`${root}: ${floor} imports only from below`, `^${root}/(${floor})(/|\\.ts$)`, {
        path: `^${root}/`,
        pathNot: `^${root}/(${['$1', ...names.slice(0, at)].join('|')})(/|\\.ts$)`,
      }),
    ),
  ),
  ...layers.map(([name, from, to, except]) =>
    forbid(name, from, { path: [...to] }, [...tests, ...(except ? [except] : [])]),
  ),
  forbid('only the bucket loads the Amazon SDK', '^server/src/', { path: '(^|node_modules/)@aws-sdk/' }, [
    ...tests,
    '^server/src/files/s3/bucket\\.ts$',
  ]),
  forbid('the Amazon SDK is loaded on demand', '^server/src/', {
    path: '^server/src/files/s3/bucket\\.ts$',
    dynamic: false,
    dependencyTypesNot: ['type-only'],
  }),
  forbid('the SDK loads undici on demand, only under Node.js', '^sdk/src/', {
    path: '(^|node_modules/)undici/',
    dynamic: false,
    dependencyTypesNot: ['type-only'],
  }),
  forbid('only metrics and traces load OpenTelemetry', '^server/src/', { path: '(^|node_modules/)@opentelemetry/' }, [
    ...tests,
    '^server/src/telemetry/',
  ]),
  forbid('OpenTelemetry is loaded on demand', '^server/src/(?!telemetry/)', {
    path: '^server/src/telemetry/',
    dynamic: false,
    dependencyTypesNot: ['type-only'],
  }),
];
