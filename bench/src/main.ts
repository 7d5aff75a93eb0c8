import { allMeasures } from './all-measures.ts';
import { OptionsError, readOptions } from './options.ts';
import { describeMachine, type Report, type Result, toReport, toTable } from './report.ts';
import { openRun } from './run.ts';

const usage = `npm run bench -- [measure …] [--quick] [--json]

${allMeasures.map(({ name, title }) => `  ${name.padEnd(8)} ${title}`).join('\n')}

  --quick  a short run, which shows that the bench works; its figures are rough
  --json   the report for programs, on stdout; progress stays on stderr

Exit code: 0 every target is reached, 1 one is missed, 2 the bench could not run.
`;

async function main(): Promise<number> {
  const options = readOptions(
    process.argv.slice(2),
    allMeasures.map(({ name }) => name),
  );
  if (options.wanted === 'help') {
    process.stdout.write(usage);
    return 0;
  }
  const report = await takeMeasures(options.names, options.quick);
  process.stdout.write(`${options.json ? JSON.stringify(report, null, 2) : toTable(report)}\n`);
  return report.missed.length === 0 ? 0 : 1;
}

async function takeMeasures(names: readonly string[], quick: boolean): Promise<Report> {
  const machine = describeMachine();
  const run = openRun(quick, (line) => process.stderr.write(`  ${line}\n`));
  try {
    const results: Result[] = [];
    for (const measure of allMeasures.filter(({ name }) => names.includes(name))) {
      process.stderr.write(`${measure.name}: ${measure.title}\n`);
      results.push({ measure: measure.name, title: measure.title, figures: await measure.take(run) });
      await run.endMeasure();
    }
    return toReport(machine, quick, results);
  } finally {
    await run.close();
  }
}

// Without a listener a signal would end us before the servers of the run are ended.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage = error instanceof OptionsError;
  process.stderr.write(`${isUsage ? `${error.message}\n\n${usage}` : `The bench could not run: ${String(error)}\n`}`);
  process.exitCode = 2;
}
