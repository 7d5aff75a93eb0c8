import type { IForbiddenRuleType, IRegularForbiddenRuleType } from 'dependency-cruiser';

// Which way imports may point; imports of types count. Tests may import everything, except in the conformance suite.

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
 * The arrows that are no import: `agentp dev` starts the server package where it is installed, as a child process,
 * and `agentp mcp` loads the MCP package where it is installed. No other file names these packages in code.
 */
export const optionalPeers = [
  { from: /^cli(-core)?\//, name: "'@agent-platform/server", file: 'cli/src/commands/dev/find-server.ts' },
  { from: /^cli(-core)?\//, name: "'@agent-platform/mcp", file: 'cli/src/commands/find-mcp.ts' },
];

/** The folders and files of a package from the bottom up: each imports from those before it. The rest is on top. */
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

/** The forbidden imports of a server file, by the suffix of its name; a file without a suffix contains rules. */
const layers: readonly (readonly [rule: string, from: string, to: readonly string[], except?: string])[] = [
  ['a route never sees inside the store', inServer('-routes'), ['^server/src/store/(?!store.ts)', database]],
  ['app and set-ups alone know routes', '^server/src/(?!app.ts)', [inServer('-routes')], inServer('-setup')],
  [
    'app and programs alone know set-ups',
    '^server/src/(?!app.ts|backup-worker.ts|process|operator)',
    [inServer('-setup')],
  ],
  ['a query changes nothing', inServer('-queries'), [inServer('-commands')]],
  [
    'a view reads nothing',
    inServer('-view'),
    ['^server/src/store/(?!decode.ts)', inServer('-(commands|queries)'), database],
  ],
  ['a port knows the store alone', inServer('-port'), ['^server/src/(?!store/store.ts)']],
  ['a table is a definition', inServer('-table'), ['^server/src/(?!store/tables)']],
  ['the list of tables alone knows tables', '^server/src/(?!store/tables)', [inServer('-table')]],
  [
    'a rule is pure: no I/O, no clock, no store, nothing of the layers above',
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

/** The rules as dependency-cruiser reads them. */
export const rules: IForbiddenRuleType[] = [
  // Names are known once the packages are installed, which the launcher does. The lines that install them are of no package.
  forbid(
    'another package is imported by its name',
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
    'the suite and its tests compute nothing from the contract, from which faults are generated',
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
  forbid('the bucket alone loads the SDK of Amazon', '^server/src/', { path: '(^|node_modules/)@aws-sdk/' }, [
    ...tests,
    '^server/src/files/s3/bucket\\.ts$',
  ]),
  forbid('the SDK of Amazon is loaded on demand', '^server/src/', {
    path: '^server/src/files/s3/bucket\\.ts$',
    dynamic: false,
    dependencyTypesNot: ['type-only'],
  }),
  forbid('the SDK loads undici on demand, under Node.js alone', '^sdk/src/', {
    path: '(^|node_modules/)undici/',
    dynamic: false,
    dependencyTypesNot: ['type-only'],
  }),
  forbid('metrics and traces alone load OpenTelemetry', '^server/src/', { path: '(^|node_modules/)@opentelemetry/' }, [
    ...tests,
    '^server/src/telemetry/',
  ]),
  forbid('OpenTelemetry is loaded on demand', '^server/src/(?!telemetry/)', {
    path: '^server/src/telemetry/',
    dynamic: false,
    dependencyTypesNot: ['type-only'],
  }),
];
