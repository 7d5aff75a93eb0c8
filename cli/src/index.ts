export { type ExitCode, exitCodeMeanings, exitCodes } from './errors/exit-codes.ts';
export { Interruption, type Io, type Keyboard, type Screen } from './io/io.ts';
export { runCli } from './run-cli.ts';
