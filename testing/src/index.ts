export { type ChildProgram, startProgram } from './child-program.ts';
export { findFreePort } from './free-port.ts';
export { freshDatabase } from './fresh-database.ts';
export { inheritedEnvironment } from './inherited-environment.ts';
export { type KillableServer, startKillableServer } from './killable-server.ts';
export { measureQuietTime } from './load/quiet-time.ts';
export { type Postgres, startPostgres } from './postgres.ts';
export { type Redis, startRedis } from './redis.ts';
export { quickStartFlags, type ServerProcess, startServerProcess } from './server-process.ts';
