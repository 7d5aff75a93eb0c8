export { type ExitCode, exitCodeMeanings, exitCodes } from './errors/exit-codes.ts';
export { Interruption } from './errors/failure.ts';
export type { Io, Keyboard, Screen } from './io/io.ts';
export { toVisibleLine } from './output/visible-text.ts';
export { runCli } from './run-cli.ts';
export { runProcess } from './run-process.ts';
