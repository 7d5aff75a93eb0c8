import { readFileSync } from 'node:fs';

export interface DocumentBlock {
  readonly document: string;
  readonly language: string;
  readonly code: string;
}

/** A block that the tests do not execute, identified by its first line. */
interface Exception {
  readonly document: string;
  readonly begins: string;
  readonly reason: string;
}

const completeRun = 'npm run -s conformance -- --base-url http://127.0.0.1:8080 --ws-url ws://127.0.0.1:8080';

export const unexecutedBlocks: readonly Exception[] = [
  {
    document: 'README.md',
    begins: completeRun.slice(0, completeRun.indexOf(' --ws-url')),
    reason: 'takes minutes; suite.test.ts and client.test.ts run it',
  },
  { document: 'README.md', begins: 'npm start', reason: 'the test starts this server itself' },
  { document: 'docs/start.md', begins: 'npm start', reason: 'the test starts this server itself' },
  {
    document: 'docs/start.md',
    begins: 'npm run -s example -- examples',
    reason: 'starts the preceding program, which the test runs itself; `npm run lab -- start-page` runs both',
  },
  {
    document: 'docs/architecture.md',
    begins: 'npm run lab -- kill-matrix',
    reason: 'takes a long time; matrix.test.ts runs a part',
  },
  { document: 'docs/architecture.md', begins: 'const { get, post }', reason: 'an excerpt of a source file' },
  {
    document: 'docs/explanation/failures.md',
    begins: 'npm run lab -- chaos',
    reason: 'takes 20 minutes; chaos.lab.test.ts runs a part',
  },
  {
    document: 'docs/benchmarks.md',
    begins: 'npm run bench',
    reason: 'takes a long time; main.lab.test.ts in bench runs a part',
  },
  { document: 'docs/scaling.md', begins: '# Fills an empty database', reason: 'takes half an hour' },
  {
    document: 'docs/guides/judging-a-server.md',
    begins: `${completeRun} --agents`,
    reason: 'takes minutes; suite.test.ts runs it',
  },
  ...['sudo ', 'umask 077', 'set -a; . /etc', 'operator() { sudo podman', 'operator() { sudo docker'].map((begins) => ({
    document: 'docs/guides/production.md',
    begins,
    reason: 'changes the machine, or is one of several alternative steps',
  })),
  ...['npm run lab -- evals', 'EVALS_MODEL='].map((begins) => ({
    document: 'docs/guides/evaluating-models.md',
    begins,
    reason: 'takes minutes; CI runs it each night',
  })),
  { document: 'docs/guides/upgrading.md', begins: 'git pull', reason: 'changes the machine' },
  {
    document: 'docs/guides/backup.md',
    begins: 'scp data',
    reason: 'needs other machines',
  },
  {
    document: 'docs/guides/backup.md',
    begins: 'npm run -s operator -- backup create\nexport DATABASE_URL',
    reason: 'needs PostgreSQL; backup.lab.test.ts moves a community to PostgreSQL and back',
  },
  ...['npm run pack', 'node agent.ts'].map((begins) => ({
    document: 'docs/tutorials/first-agent.md',
    begins,
    reason: 'installs the packages, or starts the preceding program, which the test runs itself',
  })),
  {
    document: 'docs/guides/observing-an-agent.md',
    begins: 'npm install @opentelemetry',
    reason: 'needs third-party packages; open-telemetry.test.ts of the SDK tests the spans',
  },
  {
    document: 'docs/operating/documentation-site.md',
    begins: 'npm run docs',
    reason: 'takes half a minute; the tests of the site run it',
  },
  {
    document: 'docs/operating/community.md',
    begins: '$ npm run -s operator -- demo seed',
    reason: 'takes seconds; its own tests run it',
  },
  {
    document: 'docs/operating/clocks.md',
    begins: '$ npm run -s operator -- clock advance',
    reason: 'needs a server with a test clock; test-clock.test.ts runs it',
  },
  {
    document: 'docs/operating/community.md',
    begins: '$ npm run -s operator -- agents list --idle-days',
    reason: 'needs agents that have been idle for 90 days',
  },
  {
    document: 'docs/operating/diagnose.md',
    begins: '$ npm run -s operator -- doctor',
    reason: 'shows the output of another machine',
  },
];

const root = new URL('../../', import.meta.url);

/** Reads the fenced blocks of a document of the repository, in their order. */
export function readBlocks(document: string): readonly DocumentBlock[] {
  const text = readFileSync(new URL(document, root), 'utf8');
  return [...text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
    document,
    language,
    code,
  }));
}

export function exceptionApplies(block: DocumentBlock, { document, begins }: Exception): boolean {
  return block.document === document && block.code.startsWith(begins);
}
