import { styleText } from 'node:util';
import type { Io } from '../io/io.ts';
import { readEnv } from '../io/io.ts';

/** How a piece of text stands out where colours are allowed. */
export type Paint = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

/** Where text for people is laid out: its width, and its colours if it has any. */
export interface Page {
  readonly columns: number;
  paint(paint: Paint, text: string): string;
}

const widest = 120;
const widthOfPipe = 100;

/** The page of a stream: coloured only on a terminal that wants colours. */
export function openPage(io: Io, stream: 'stdout' | 'stderr', options: { readonly color: boolean }): Page {
  const screen = io[stream];
  const isPlain =
    !options.color || !screen.isTerminal || readEnv(io, 'NO_COLOR') !== undefined || readEnv(io, 'TERM') === 'dumb';
  const columns = screen.isTerminal ? Math.min(Math.max(screen.columns, 40), widest) : widthOfPipe;
  return {
    columns,
    // Whether to colour was decided above, with the environment of the Io;
    // Node's own check would look at the process instead.
    paint: (paint, text) => (isPlain ? text : styleText(paint, text, { validateStream: false })),
  };
}
