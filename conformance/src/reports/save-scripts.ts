import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { failuresOf } from '../verdict/failures.ts';
import type { Report } from '../verdict/report.ts';

/** The folder for the scripts of a report file: beside it, under its name. */
export function scriptFolderOf(reportFile: string): string {
  return join(dirname(reportFile), `${basename(reportFile, extname(reportFile))}-scripts`);
}

/** Saves the script of each failure with the bodies that it reads, in place of those of an earlier run. */
export function saveScripts(report: Report, folder: string): void {
  const scripts = failuresOf(report).flatMap(({ script }) => script ?? []);
  if (scripts.length > 0) mkdirSync(folder, { recursive: true });
  for (const name of namesIn(folder)) if (/^AP-[A-Z]+-\d{3}\./.test(name)) rmSync(join(folder, name));
  for (const { name, text, files } of scripts) {
    writeFileSync(join(folder, name), text, { mode: 0o755 });
    for (const file of files) writeFileSync(join(folder, file.name), file.content);
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
