import { readPublished } from '../testing/results/published.ts';

/** Prints the table of published results. */
export function printResults(): string {
  const rows = readPublished().map(({ server, version, report, badge }) => {
    const place = `../../results/${server}/${version}`;
    const cells = [server, version, badge.message, report.suite_version, report.started_at.slice(0, 10)];
    return `| ${[...cells, `[report](${place}/report.json), [bundle](${place}/bundle.json.gz)`].join(' | ')} |`;
  });
  return `${[
    '# Results',
    `Find the results of servers. Printed by \`npm run generate\` from the folder \`results\`. A result is _conformant_ only if every requirement was judged and passed,
except those that need a profile, a hook or many agents: for these, it says whether they were judged. \`agent-platform-conformance verify\` judges a
bundle again without the server
([how](../../conformance/README.md#a-result-that-others-can-verify)).`,
    ['| server | version | result | suite | date | files |', '| --- | --- | --- | --- | --- | --- |', ...rows].join(
      '\n',
    ),
    `To add a result, run the suite with \`--report json=report.json --report badge=badge.json --report badge=badge.svg --report
bundle=bundle.json.gz\`, and put the four files into \`results/<server>/<version>\`. \`npm test\` compares them with each other and with the
schema, and judges the bundle again if this suite made it. \`npm run lab -- results\` generates the result of the reference server.`,
  ].join('\n\n')}\n`;
}
