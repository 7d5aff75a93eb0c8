import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { rethrowAsCannotRun } from './context/cannot-run.ts';
import type { ReportTarget } from './context/options.ts';
import { failedRequirementsOf, type Report } from './verdict/report.ts';

/** Checks that a report can be written, and removes an earlier report, so that an aborted run leaves none. */
export function reserveReport(file: string): void {
  rethrowAsCannotRun(`The report ${file} cannot be written: `, () => writeFileSync(file, ''));
  if (isOrdinary(file)) tryTo(() => rmSync(file));
}

/** Writes a report atomically, so that an aborted program leaves no partial file. */
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

// Pipes and links are not ordinary: they must be written to, not replaced by a new file.
function isOrdinary(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? true;
}

/** Returns false if the folder does not permit the operation, for example for a mounted file. */
function tryTo(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

/** The folder for the scripts of a run: next to the first report that lists failures, and named after that report. */
export function scriptFolderOf(reports: readonly ReportTarget[]): string | undefined {
  const file = (reports.find(({ kind }) => kind !== 'badge' && kind !== 'bundle') ?? reports[0])?.file;
  return file === undefined ? undefined : join(dirname(file), `${basename(file).replace(/(?<=.)\..*/, '')}-scripts`);
}

/** Saves the script of each failed requirement with its request bodies, and removes the scripts of an earlier run. */
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
