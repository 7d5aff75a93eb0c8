import { basename } from 'node:path';
import type { Io } from '../io/io.ts';
import { toVisibleLine } from './visible-text.ts';

/** Shows a person how far a transfer is; programs see nothing of it. */
export interface ProgressBar {
  readonly tell: (doneBytes: number, totalBytes: number) => void;
  /** Takes the bar off the screen. */
  readonly remove: () => void;
}

const clearLine = '\r\u001b[K';
const barWidth = 24;
const mebibyte = 1024 * 1024;

/** Opens a bar on stderr, where it stands in nobody's way; one line, drawn anew for each percent. */
export function openProgressBar(io: Pick<Io, 'stderr'>, path: string): ProgressBar {
  if (!io.stderr.isTerminal) return { tell: () => undefined, remove: () => undefined };
  let drawn = '';
  return {
    tell: (done, total) => {
      const line = draw(basename(path), done, total, io.stderr.columns);
      if (line === drawn) return;
      drawn = line;
      io.stderr.write(`${clearLine}${line}`);
    },
    remove: () => {
      if (drawn !== '') io.stderr.write(clearLine);
    },
  };
}

function draw(name: string, done: number, total: number, columns: number): string {
  const part = total === 0 ? 1 : Math.min(1, done / total);
  const percent = Math.floor(part * 100);
  const filled = Math.floor(part * barWidth);
  const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`;
  const line = `${bar} ${String(percent).padStart(3)} % of ${showSize(total)}  ${toVisibleLine(name)}`;
  return [...line].slice(0, Math.max(1, columns - 1)).join('');
}

/** A size for people. */
export function showSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < mebibyte) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / mebibyte).toFixed(1)} MiB`;
}
