import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { rethrowAsCannotRun } from './context/cannot-run.ts';
import type { ReportTarget } from './context/options.ts';
import { failedRequirementsOf, type Report } from './verdict/report.ts';

/** Checks that a report can be written. Removes an earlier report, so that an aborted run leaves none. */
export function prepareReportFile(file: string): void {
  rethrowAsCannotRun(`The report ${file} cannot be written: `, () => writeFileSync(file, ''));
  if (isOrdinary(file)) tryTo(() => rmSync(file));
}

/** Writes a report atomically if possible, so that an aborted program leaves no partial file. */
export function writeReport(file: string, content: string | Uint8Array): void {
  const part = `${file}.part`;
  const replace = () => {
    writeFileSync(part, content);
    renameSync(part, file);
  };
  if (isOrdinary(file) && tryTo(replace)) return;
  rmSync(part, { force: true });
  rethrowAsCannotRun(`The report ${file} cannot be written: `, () => writeFileSync(file, content));
}

// Other files, such as pipes and links, must be written to and not be replaced.
function isOrdinary(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? true;
}

/** Returns whether the operation succeeded; some files, such as mounted ones, cannot be replaced or removed. */
function tryTo(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

/** The folder for the scripts of a run: beside the first report that lists failures, and named after it. */
export function scriptFolderOf(reports: readonly ReportTarget[]): string | undefined {
  const file = (reports.find(({ kind }) => kind !== 'badge' && kind !== 'bundle') ?? reports[0])?.file;
  return file === undefined ? undefined : join(dirname(file), `${basename(file).replace(/(?<=.)\..*/, '')}-scripts`);
}

/** Saves a script with its request bodies for each failed requirement. Removes the scripts of earlier runs. */
export function saveScripts(report: Report, folder: string): void {
  const scripts = failedRequirementsOf(report).flatMap(({ script }) => script ?? []);
  if (scripts.length > 0) mkdirSync(folder, { recursive: true });
  const saved = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of saved) if (/^AP-[A-Z]+-\d{3}\./.test(name)) rmSync(join(folder, name));
  for (const { name, text, files } of scripts) {
    writeFileSync(join(folder, name), text, { mode: 0o755 });
    for (const file of files) writeFileSync(join(folder, file.name), file.content);
  }
}
