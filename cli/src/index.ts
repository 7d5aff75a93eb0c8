export { type ExitCode, exitCodeMeanings, exitCodes } from './exit-codes.ts';
export { Interruption, type Io, type Keyboard, type Screen } from './io.ts';
export { runCli } from './run-cli.ts';
