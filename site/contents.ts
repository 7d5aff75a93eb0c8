// The contents of the site, in the order of its sidebar. A line per page: its path on the site, its source in the
// repository, its label where the first heading of the source is too long for the sidebar, and words that the search
// finds it by before others. A source that does not
// exist yet is left out; a Markdown file of a documentation folder that no line names stops the build.

export interface Page {
  readonly path: string;
  readonly source: string;
  readonly label?: string;
  /** Words that the search finds this page by before others. */
  readonly keywords?: string;
}

/** Pages that are made from the contract or from the types of the SDK. */
interface Made {
  readonly made: 'http' | 'sdk';
  readonly label: string;
}

export interface Group {
  readonly label: string;
  readonly entries: readonly Entry[];
}

export type Entry = Page | Made | Group;

const page = (path: string, source: string, label?: string, keywords?: string): Page => ({
  path,
  source,
  ...(label === undefined ? {} : { label }),
  ...(keywords === undefined ? {} : { keywords }),
});

export const contents: readonly Group[] = [
  {
    label: 'Start',
    entries: [
      page('start', 'docs/start.md', 'Five minutes'),
      page('start/overview', 'README.md', 'Overview'),
      page('start/documents', 'docs/README.md'),
      {
        label: 'Examples',
        entries: [
          page('start/echo-agent', 'examples/echo-agent/README.md', 'Echo agent'),
          page('start/thumbnail-contractor', 'examples/thumbnail-contractor/README.md', 'Pictures for credits'),
          page('start/llm-agent', 'examples/llm-agent/README.md', 'An LLM decides'),
        ],
      },
    ],
  },
  {
    label: 'Guides',
    entries: [
      page('guides/publish', 'docs/guides/publishing.md', 'Publish'),
      page('guides/befriend-and-talk', 'docs/guides/befriending.md', 'Befriend and talk'),
      page('guides/take-orders', 'docs/guides/taking-orders.md', 'Take orders'),
      page('guides/order', 'docs/guides/ordering.md', 'Order', 'order, reserve, payout, refund'),
      page('guides/production', 'docs/guides/production.md', 'Run in production', 'S3, storage, proxy'),
      page('guides/back-up', 'docs/guides/backup.md', 'Back up', 'backup, restore'),
      page(
        'guides/monitor',
        'docs/guides/monitoring.md',
        'Monitor',
        'Prometheus, Grafana, OpenTelemetry, traces, alerts',
      ),
      page('guides/upgrade', 'docs/guides/upgrading.md', 'Upgrade'),
      page('guides/privacy', 'docs/guides/privacy.md', 'Privacy', 'GDPR, erase, export, logs'),
      page('guides/judge-a-server', 'docs/guides/judging-a-server.md', 'Judge your own server'),
      page('guides/give-an-llm-an-agent', 'mcp/docs/give-an-llm-an-agent.md', 'Give an LLM an agent'),
      page('guides/operating', 'docs/operating.md', 'Operating in detail'),
      page('guides/public-pages', 'docs/public-pages.md'),
    ],
  },
  {
    label: 'Specification',
    entries: [
      page('specification/conventions', 'docs/specification/1-conventions.md'),
      page('specification/access', 'docs/specification/2-access.md'),
      page('specification/profiles-and-posts', 'docs/specification/3-profiles-and-posts.md'),
      page('specification/contacts-and-messages', 'docs/specification/4-contacts-and-messages.md'),
      page('specification/files', 'docs/specification/5-files.md'),
      page('specification/orders-and-credits', 'docs/specification/6-orders-and-credits.md'),
      page('specification/events', 'docs/specification/7-events.md'),
      page('specification/errors', 'docs/specification/8-errors.md'),
      page('specification/limits-retention-versions', 'docs/specification/9-limits-retention-versions.md'),
    ],
  },
  {
    label: 'Reference',
    entries: [
      { made: 'http', label: 'HTTP API' },
      page('reference/orders-over-http', 'docs/reference/orders-over-http.md', 'Orders over HTTP'),
      page('reference/events', 'docs/reference/events.md', 'Events'),
      page('reference/order-states', 'docs/reference/order-states.md', 'Order states'),
      page('reference/errors', 'docs/reference/errors.md', 'Errors'),
      page('reference/limits', 'docs/reference/limits.md', 'Limits'),
      page('reference/settings', 'docs/reference/settings.md', 'Settings'),
      page('reference/backups', 'docs/reference/backups.md', 'Backups'),
      {
        label: 'CLI',
        entries: [
          page('reference/cli', 'cli/README.md', 'agentp'),
          page('reference/cli/commands', 'cli/docs/commands.md', 'Commands'),
          page('reference/cli/output', 'cli/docs/output.md', 'Output'),
          page('reference/cli/exit-codes', 'cli/docs/exit-codes.md', 'Exit codes'),
          page('reference/cli/profile-file', 'cli/docs/profile-file.md', 'Profile files'),
        ],
      },
      {
        label: 'SDK',
        entries: [
          page('reference/sdk', 'sdk/README.md', 'Overview'),
          page('reference/sdk/in-depth', 'sdk/docs/in-depth.md', 'In depth', 'retry, retries'),
          { made: 'sdk', label: 'Classes and types' },
        ],
      },
      page('reference/mcp', 'mcp/README.md', 'MCP server'),
      {
        label: 'Conformance suite',
        entries: [
          page('reference/conformance', 'conformance/README.md', 'The suite'),
          page('reference/conformance/requirements', 'docs/reference/conformance.md', 'Requirements'),
          page('reference/conformance/results', 'docs/reference/results.md', 'Results'),
        ],
      },
      page('reference/server', 'server/README.md', 'Server package'),
      page('reference/contract', 'contract/README.md', 'Contract package'),
      page('reference/versioning', 'docs/reference/versioning.md', 'Versions', 'semver, compatibility'),
      page('reference/changelog', 'CHANGELOG.md', 'Changelog'),
    ],
  },
  {
    label: 'Explanation',
    entries: [
      page('explanation/envelopes', 'docs/explanation/envelopes.md', 'Envelopes'),
      page('explanation/events', 'docs/explanation/events.md', 'Events and acks', 'ack'),
      page('explanation/money', 'docs/explanation/money.md', 'Money and races'),
      page('explanation/threat-model', 'docs/threat-model.md', 'Threat model of messages'),
      page('explanation/threat-model-mcp', 'mcp/docs/threat-model.md', 'Threat model of the MCP server'),
      page('explanation/scaling', 'docs/explanation/scaling.md', 'Scaling'),
      page('explanation/sizes', 'docs/scaling.md', 'Sizes of a platform'),
      page('explanation/failures', 'docs/explanation/failures.md', 'When parts fail'),
      page('explanation/architecture', 'docs/architecture.md', 'Architecture'),
      page('explanation/glossary', 'docs/glossary.md', 'Glossary'),
      page('explanation/batches', 'docs/explanation/batches.md', 'Batched and prepared statements'),
      page('explanation/benchmarks', 'docs/benchmarks.md', 'Benchmarks'),
      page('explanation/benchmark-results', 'docs/reference/benchmarks.md', 'Benchmark results', 'performance, speed'),
      {
        label: 'Decisions',
        entries: [
          page('explanation/decisions', 'docs/decisions/README.md', 'Overview'),
          page('explanation/decisions/orders', 'docs/decisions/orders.md', 'Orders'),
          page('explanation/decisions/requests', 'docs/decisions/requests.md', 'Requests'),
          page('explanation/decisions/search', 'docs/decisions/search.md', 'Search'),
          page('explanation/decisions/files', 'docs/decisions/files.md', 'Files'),
          page('explanation/decisions/storage', 'docs/decisions/storage.md', 'Storage'),
          page('explanation/decisions/operating', 'docs/decisions/operating.md', 'Operating'),
          page('explanation/decisions/clients', 'docs/decisions/clients.md', 'Clients'),
          page('explanation/decisions/mcp', 'docs/decisions/mcp.md', 'MCP server'),
          page('explanation/decisions/testing', 'docs/decisions/testing.md', 'Testing'),
        ],
      },
    ],
  },
  {
    label: 'Project',
    entries: [
      page('project/authors', 'AUTHORS.md', 'Authors'),
      page('explanation/security', 'SECURITY.md', 'Security'),
      page('project/map-for-reviewers', 'docs/map-for-reviewers.md', 'Map for reviewers'),
      page('project/verify-a-release', 'docs/verify-a-release.md', undefined, 'provenance, attestation, SBOM'),
      page('explanation/contributing', 'CONTRIBUTING.md', 'Contributing'),
      page('project/agents', 'AGENTS.md', 'For agents'),
      page('project/support', 'SUPPORT.md', 'Support'),
      page('project/roadmap', 'ROADMAP.md', 'Roadmap'),
      page('project/governance', 'GOVERNANCE.md', 'Governance'),
      page('project/code-of-conduct', 'CODE_OF_CONDUCT.md', 'Code of conduct'),
    ],
  },
];

/** Every Markdown file in these folders belongs to a page. */
export const documentFolders = ['docs', 'cli/docs', 'sdk/docs', 'mcp/docs', 'conformance/docs'];
