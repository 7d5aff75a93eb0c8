import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ReportTarget } from '../context/options.ts';
import { failedRequirementsOf, type Report } from '../verdict/report.ts';

/** The folder for the scripts of a run: beside its first report that shows failures, under the name of that. */
export function scriptFolderOf(reports: readonly ReportTarget[]): string | undefined {
  const file = (reports.find(({ kind }) => kind !== 'badge' && kind !== 'bundle') ?? reports[0])?.file;
  return file === undefined ? undefined : join(dirname(file), `${basename(file).replace(/(?<=.)\..*/, '')}-scripts`);
}

/** Saves the script of each failed requirement with the bodies that it reads, in place of those of an earlier run. */
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
