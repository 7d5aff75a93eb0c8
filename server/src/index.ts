export { type App, type AppDependencies, makeApp } from './app.ts';
export { runOperator } from './operator/run-operator.ts';
export { type Clock, systemClock } from './platform/clock.ts';
export { type Logger, makeLogger } from './platform/logger.ts';
export { readSettings, type Settings, SettingsError } from './platform/settings/settings.ts';
export { type RunningServer, type StartDependencies, startServer } from './process/start-server.ts';
export type { Store } from './store/store.ts';
