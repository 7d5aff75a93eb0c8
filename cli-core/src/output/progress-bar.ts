import { basename } from 'node:path';
import type { Io } from '../io/io.ts';
import { formatSize } from './values.ts';
import { toVisibleLine } from './visible-text.ts';

const clearLine = '\r\u001b[K';
const barWidth = 24;

/**
 * Opens a progress bar on stderr, if that is a terminal: one line, redrawn for each percent. `afterwards` is shown once
 * everything is sent, while the server is still working.
 */
export function openProgressBar(io: Pick<Io, 'stderr'>, path: string, afterwards = '') {
  let drawn = '';
  return {
    update: (done: number, total: number) => {
      if (!io.stderr.isTerminal) return;
      const line = draw(basename(path), done, total, { columns: io.stderr.columns, afterwards });
      if (line === drawn) return;
      drawn = line;
      io.stderr.write(`${clearLine}${line}`);
    },
    remove: () => {
      if (drawn !== '') io.stderr.write(clearLine);
    },
  };
}

function draw(
  name: string,
  done: number,
  total: number,
  { columns, afterwards }: { readonly columns: number; readonly afterwards: string },
): string {
  const part = total === 0 ? 1 : Math.min(1, done / total);
  const percent = Math.floor(part * 100);
  const filled = Math.floor(part * barWidth);
  const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`;
  const progress = `${String(percent).padStart(3)} % of ${formatSize(total)}`;
  const line = `${bar} ${part === 1 && afterwards !== '' ? afterwards : progress}  ${toVisibleLine(name)}`;
  return [...line].slice(0, Math.max(1, columns - 1)).join('');
}
