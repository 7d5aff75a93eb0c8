import { allMeasures } from './all-measures.ts';
import { OptionsError, parseOptions } from './options.ts';
import { peerMeasures } from './peers.ts';
import { describeMachine, formatReport, type MeasureResult, type Report, toReport } from './report.ts';
import { saveRun } from './results/save-run.ts';
import { openRun } from './run.ts';

const usage = `npm run bench -- [measure …] [all] [peers] [--quick] [--json] [--save]

${[...allMeasures, ...peerMeasures].map(({ name, title }) => `  ${name.padEnd(14)} ${title}`).join('\n')}

  all      all measures except those of the peers (the default)
  peers    the comparisons with other servers, which are installed first
  --quick  a short run, which shows that the bench works; its figures are rough
  --json   the report as JSON on stdout; progress is still written to stderr
  --save   stores the report in bench/results and regenerates the tables in the documents

Exit code: 0 all targets are reached, 1 a target is missed, 2 the bench or a measure could not run.
`;

async function main(): Promise<number> {
  const nameOf = ({ name }: { readonly name: string }) => name;
  const options = parseOptions(process.argv.slice(2), {
    all: allMeasures.map(nameOf),
    peers: peerMeasures.map(nameOf),
  });
  if (options.wanted === 'help') {
    process.stdout.write(usage);
    return 0;
  }
  const report = await takeMeasures(options.names, options.quick);
  process.stdout.write(`${options.json ? JSON.stringify(report, null, 2) : formatReport(report)}\n`);
  if (options.save) for (const file of saveRun(report)) process.stderr.write(`${file} written\n`);
  if (report.failed.length > 0) return 2;
  return report.missed.length === 0 ? 0 : 1;
}

async function takeMeasures(names: readonly string[], quick: boolean): Promise<Report> {
  const machine = describeMachine();
  const run = openRun(quick, (line) => process.stderr.write(`  ${line}\n`));
  const results: MeasureResult[] = [];
  const failed: string[] = [];
  try {
    for (const measure of [...allMeasures, ...peerMeasures].filter(({ name }) => names.includes(name))) {
      const { name, title, baseline, leavesOut } = measure;
      process.stderr.write(`${name}: ${title}\n`);
      try {
        results.push({ measure: name, title, baseline, leavesOut, figures: await measure.take(run) });
      } catch (error) {
        // A run takes a long time, so the failure of one measure does not stop the others.
        process.stderr.write(`${name} could not run: ${error instanceof Error ? error.stack : String(error)}\n`);
        failed.push(name);
      }
      await run.endMeasure();
    }
    return toReport(machine, quick, results, failed);
  } finally {
    await run.close();
  }
}

// Without a listener, a signal would end this process before its exit handlers stop the servers of the run.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage = error instanceof OptionsError;
  process.stderr.write(`${isUsage ? `${error.message}\n\n${usage}` : `The bench could not run: ${String(error)}\n`}`);
  process.exitCode = 2;
}
