export { allChecks } from './areas/all-checks.ts';
export { defaultLimits, type Limits, unpacedLimits } from './context/budget/limits.ts';
export { CannotRun } from './context/cannot-run.ts';
export type { Check } from './context/check.ts';
export { type HookCommands, noHooks } from './context/hooks/hooks.ts';
export { type RunOptions, runOptions } from './context/options.ts';
export type { Plan } from './context/plan.ts';
export { type Progress, type ProgressScreen, showProgress } from './progress.ts';
export { formatConsoleReport } from './reports/console-report.ts';
export { formatHtmlReport } from './reports/html/html-report.ts';
export { formatJsonReport } from './reports/json-report.ts';
export { formatJunitReport } from './reports/junit-report.ts';
export { formatMarkdownReport } from './reports/markdown-report.ts';
export { judgeServer, planRun, type RunListener } from './suite/suite.ts';
export type {
  CheckOutcome,
  ExitCode,
  ObservationOutcome as ChoiceOutcome,
  Report,
  Reproduction,
  RequirementOutcome,
  Verdict,
} from './verdict/report.ts';
export { type Failure, failuresOf } from './verdict/report.ts';
export { type Requirement, readRequirements, type Testability } from './verdict/requirements.ts';
export type { ShownExchange } from './verdict/shown-exchange.ts';
