export { type RunOptions, runOptions } from './options.ts';
export type { CheckOutcome, ChoiceOutcome, Report, RequirementOutcome, ShownExchange } from './report.ts';
export { printConsole } from './reports/console-report.ts';
export { printJson } from './reports/json-report.ts';
export { printJunit } from './reports/junit-report.ts';
export { type Requirement, readRequirements, type Standing } from './requirements.ts';
export { CannotRun, judgeServer, type Say } from './suite.ts';
export type { ExitCode, Verdict } from './verdict.ts';
