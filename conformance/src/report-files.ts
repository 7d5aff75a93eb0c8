import { lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { orCannotRun } from './context/cannot-run.ts';

/** Learns whether a report can be written, and removes that of an earlier run: a run that is ended leaves none behind. */
export function reserveReport(file: string): void {
  orCannotRun(`The report ${file} cannot be written: `, () => writeFileSync(file, ''));
  if (isOrdinary(file)) tryTo(() => rmSync(file));
}

/** Writes a report as a whole: whoever ends the program meanwhile, there is no half of it. */
export function writeReport(file: string, content: string | Uint8Array): void {
  const part = `${file}.part`;
  const replace = () => {
    writeFileSync(part, content);
    renameSync(part, file);
  };
  if (isOrdinary(file) && tryTo(replace)) return;
  rmSync(part, { force: true });
  orCannotRun(`The report ${file} cannot be written: `, () => writeFileSync(file, content));
}

// A pipe or a link is written to, and never replaced.
function isOrdinary(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? true;
}

/** False where the folder does not allow it, as with a file that is mounted by itself. */
function tryTo(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
