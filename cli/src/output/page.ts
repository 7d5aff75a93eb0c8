import { styleText } from 'node:util';
import { type Io, readEnv } from '../io/io.ts';

/** The highlight of a text where colours are allowed. */
export type Paint = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

/** The target of text for people: its width and its colours. */
export interface Page {
  readonly columns: number;
  paint(paint: Paint, text: string): string;
}

const widest = 120;
const widthOfPipe = 100;

/** Opens the page of a stream: coloured only on a terminal that allows colours. */
export function openPage(io: Io, stream: 'stdout' | 'stderr', options: { readonly color: boolean }): Page {
  const screen = io[stream];
  const isPlain =
    !options.color || !screen.isTerminal || readEnv(io, 'NO_COLOR') !== undefined || readEnv(io, 'TERM') === 'dumb';
  const columns = screen.isTerminal ? Math.min(Math.max(screen.columns, 40), widest) : widthOfPipe;
  return {
    columns,
    // The colours were decided above from the environment of the Io;
    // the check of Node.js would read the process instead.
    paint: (paint, text) => (isPlain ? text : styleText(paint, text, { validateStream: false })),
  };
}
