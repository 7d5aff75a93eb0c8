export { type ExitCode, exitCodeMeanings, exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
export { Interruption } from '@agent-platform/cli-core/errors/failure';
export type { Io, Keyboard, Screen } from '@agent-platform/cli-core/io/io';
export { runCli } from './run-cli.ts';
