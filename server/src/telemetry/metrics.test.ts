import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { errorStatuses, limits } from '@agent-platform/contract';
import { startLoadAdjustedTimer } from '@agent-platform/testing';
import { copyTemplateDatabase } from '@agent-platform/testing/template-database';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { connectEvents } from '../../testing/event-client.ts';
import { readRealFile } from '../../testing/files/real-files.ts';
import { type Installation, type Instance, makeInstallation, register } from '../../testing/installation.ts';
import { findUsedMetrics, type Scrape, scrape } from '../../testing/prometheus.ts';
import { fillBacklog } from '../../testing/scenarios/backlog.ts';
import { uploadFile } from '../../testing/scenarios/upload.ts';
import { startTcpProxy, type TcpProxy } from '../../testing/tcp-proxy.ts';
import { sendRequest } from '../../testing/test-server.ts';
import { serverVersion } from '../platform/versions.ts';

const readText = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

/** Only a server with a replica has these metrics; `replica.lab.test.ts` tests them. */
const isOfReplica = (metric: string) => metric.startsWith('agent_platform_replica_');

/** Returns the names in the first column of a table in a section of a page. */
function firstCells(file: string, section: string): readonly string[] {
  const [, text = ''] = readText(file).split(`\n## ${section}\n`);
  const rows = (text.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}

/** Records the only backup as verified, because a real verification would take seconds. */
function noteVerification(repository: string): void {
  const [name = ''] = readdirSync(repository).filter((entry) => existsSync(join(repository, entry, 'manifest.json')));
  const { mac } = JSON.parse(readFileSync(join(repository, name, 'manifest.json'), 'utf8'));
  const verified = { verified_at: new Date().toISOString(), manifest_mac: mac, mac: 'a'.repeat(64) };
  writeFileSync(join(repository, name, 'verified.json'), JSON.stringify(verified));
}

describe('the metrics of a server', () => {
  let database: Awaited<ReturnType<typeof copyTemplateDatabase>>;
  let proxy: TcpProxy;
  let installation: Installation;
  let server: Instance;
  let before: Scrape;
  let alice: { readonly token: string; readonly id: string };
  let bob: { readonly token: string; readonly id: string };
  let events: Awaited<ReturnType<typeof connectEvents>>;
  /** The names of metrics whose values have appeared or changed. */
  const moved = new Set<string>();

  const read = async () => {
    const now = await scrape(server.metricsUrl);
    for (const { name } of now.samples) if (now.sum(name) !== before.sum(name)) moved.add(name);
    return now;
  };
  const poll = (name: string, labels?: Readonly<Record<string, string>>, interval = 150) =>
    expect.poll(async () => (await read()).sum(name, labels) ?? -1, { interval });
  const signUp = async (handle: string) => {
    const { token } = await register(server.url, handle);
    const own = await sendRequest(server.url, 'GET', '/api/v1/bots/me', { token });
    return { token, id: String(own.body['bot']?.['id']) };
  };
  const execute = async (text: string) => await server.store.transact((writer) => sql.raw(text).execute(writer));

  beforeAll(async () => {
    database = await copyTemplateDatabase();
    proxy = await startTcpProxy(database.environment.DATABASE_URL ?? '');
    installation = makeInstallation({ DATABASE_URL: proxy.url, PLATFORM_METRICS_PORT: '0' });
    server = await installation.start();
    before = await scrape(server.metricsUrl);
    [alice, bob] = [await signUp('alice'), await signUp('bob')];
    events = await connectEvents(server.url, bob);
  });
  afterAll(async () => {
    await installation.stop();
    await proxy.close();
    await database.drop();
  });

  it('have the template of a route and a status, and no text chosen by an agent', async () => {
    await sendRequest(server.url, 'GET', `/api/v1/bots/${alice.id}`, { token: alice.token });
    await sendRequest(server.url, 'PUT', `/api/v1/bots/${alice.id}`, { token: alice.token });
    await fetch(`${server.url}/nowhere/secret?q=secret`, { method: 'PROPFIND' });
    await fetch(`${server.url}/agents/alice`);
    const now = await read();
    const requests = (labels: Readonly<Record<string, string>>) =>
      now.sum('http_server_request_duration_seconds_count', labels);
    const route = { http_route: '/api/v1/bots/{bot_id}' };
    // The requested profile is not public.
    expect(requests({ ...route, http_request_method: 'GET', http_response_status_code: '404' })).toBe(1);
    expect(requests({ ...route, http_request_method: '_OTHER', http_response_status_code: '405' })).toBe(1);
    expect(requests({ http_request_method: '_OTHER', http_response_status_code: '404' })).toBe(1);
    expect(now.sum('agent_platform_refusals_total', { code: 'method_not_allowed' })).toBe(1);
    expect(now.sum('agent_platform_build_info', { version: serverVersion, database: 'postgresql' })).toBe(1);
    for (const secret of ['secret', 'alice', alice.id, alice.token, '127.0.0.1'])
      expect(now.text).not.toContain(secret);
    const codes = now.samples.filter(({ name }) => name === 'agent_platform_refusals_total');
    expect(codes.filter(({ labels }) => !Object.hasOwn(errorStatuses, labels['code'] ?? ''))).toEqual([]);
  });

  it('show an event that a connected agent does not acknowledge, until it does', async () => {
    const body = { recipient_id: bob.id };
    await sendRequest(server.url, 'POST', '/api/v1/contacts/requests', { token: alice.token, body });
    const [event] = await events.until(1);
    await poll('agent_platform_event_oldest_unacknowledged_seconds').toBeGreaterThan(0.5);
    expect((await read()).sum('agent_platform_event_delivery_seconds_count')).toBe(1);
    events.ack(String(event?.['event_id']));
    await poll('agent_platform_event_oldest_unacknowledged_seconds').toBe(0);
  });

  it('count no delay for an event while its receiver has other events to acknowledge, on any connection', async () => {
    const full = limits.eventsInFlightMax;
    await fillBacklog(server.store, alice.id, full + 1);
    const [one, other] = [await connectEvents(server.url, alice), await connectEvents(server.url, alice)];
    for (const client of [one, other]) await client.until(full);
    const sum = async () => (await read()).sum('agent_platform_event_delivery_seconds_sum') ?? 0;
    const earlier = await sum();
    await wait(1_000);
    one.ack(...one.eventIds());
    for (const client of [one, other]) await client.until(full + 1);
    expect((await sum()) - earlier).toBeLessThan(0.8);
    one.ack(...one.eventIds().slice(full));
    for (const client of [one, other]) await client.close();
    await poll('agent_platform_event_connections').toBe(1);
  });

  it('show uploads that wait while other instances use all check slots', async () => {
    const upload = () => uploadFile(server.url, alice.token, { file: readRealFile('upright.jpg') });
    await execute(`insert into attachments (id, owner_id, upload_id, purpose, state, reserved_bytes, lease_expires_at, created_at)
      select gen_random_uuid(), '${bob.id}', gen_random_uuid(), 'portfolio', 'checking', 0, now() + interval '1 minute', now()
      from generate_series(1, 2)`);
    const uploads = Promise.all([upload(), upload()]);
    await poll('agent_platform_uploads_waiting').toBe(2);
    await execute(`delete from attachments where owner_id = '${bob.id}'`);
    await poll('agent_platform_upload_checks', {}, 5).toBeGreaterThan(0);
    expect((await uploads).map(({ status }) => status)).toEqual([201, 201]);
    await poll('agent_platform_uploads_arriving').toBe(0);
  });

  it('show expired content that no retention run has removed, until one does', async () => {
    const { body } = await sendRequest(server.url, 'POST', '/api/v1/tokens/rotate', { token: alice.token, body: {} });
    alice = { ...alice, token: String(body['token']) };
    await execute(`update tokens set ended_at = now() - interval '7 days' where ended_at is not null`);
    await poll('agent_platform_retention_lag_seconds').toBeGreaterThan(0.5);
    await installation.operator('retention', 'run');
    await poll('agent_platform_retention_lag_seconds').toBe(0);
  });

  it('show the result of the last ledger check, and the age of backups', async () => {
    await installation.operator('credits', 'grant', 'alice', '1000');
    expect(before.sum('agent_platform_ledger_check_timestamp_seconds')).toBeUndefined();
    await installation.operator('ledger', 'verify');
    await poll('agent_platform_ledger_check_faults').toBe(0);
    await execute(`update wallets set available_minor = available_minor + 1 where agent_id = '${alice.id}'`);
    expect((await installation.operator('ledger', 'verify')).exitCode).toBe(1);
    await poll('agent_platform_ledger_check_faults').toBeGreaterThan(0);
    const checked = (await read()).sum('agent_platform_ledger_check_timestamp_seconds') ?? 0;
    expect(Math.abs(checked - Date.now() / 1_000)).toBeLessThan(60);
    // A partial check without faults does not hide the faults that the full check found.
    await installation.operator('ledger', 'verify', '--since', new Date(Date.now() + 60_000).toISOString());
    expect((await read()).sum('agent_platform_ledger_check_faults')).toBeGreaterThan(0);

    await execute(`update wallets set available_minor = available_minor - 1 where agent_id = '${alice.id}'`);
    expect((await installation.operator('backup', 'create')).exitCode).toBe(0);
    noteVerification(join(installation.dataDir, 'backups'));
    await poll('agent_platform_backup_verified_timestamp_seconds').toBeGreaterThan(Date.now() / 1_000 - 60);
  });

  it('show stored files that are missing, and the space of the disks', async () => {
    const uploaded = await uploadFile(server.url, alice.token, { file: readRealFile('upright.jpg') });
    const id = String(uploaded.body['attachment']?.['id']);
    rmSync(join(installation.dataDir, 'files', id.slice(-2), `${id}.preview`));
    const preview = `/api/v1/attachments/${id}/preview`;
    expect((await sendRequest(server.url, 'GET', preview, { token: alice.token })).status).toBe(503);
    await poll('agent_platform_files_damaged').toBe(1);
    for (const place of ['data', 'files', 'backups']) {
      const free = (await read()).sum('agent_platform_free_bytes', { place }) ?? 0;
      expect((await read()).sum('agent_platform_capacity_bytes', { place })).toBeGreaterThan(free);
      expect(free).toBeGreaterThan(0);
    }
  });

  it('answer within their deadline while the database is frozen, and count what fails', async () => {
    proxy.freeze();
    // The previous value is valid for two seconds.
    await poll('agent_platform_database_up').toBe(0);
    const quietMs = startLoadAdjustedTimer();
    const [one, two] = await Promise.all([read(), read()]);
    expect(quietMs()).toBeLessThan(1_500);
    for (const { sum } of [one, two]) {
      expect(sum('agent_platform_retention_lag_seconds')).toBeUndefined();
      expect(sum('agent_platform_event_connections')).toBe(1);
    }
    proxy.cut();
    await sendRequest(server.url, 'GET', '/api/v1/bots/me', { token: alice.token });
    proxy.thaw();
    await poll('agent_platform_database_up').toBe(1);
    expect((await read()).sum('agent_platform_statements_failed_total')).toBeGreaterThan(0);
    // A client can choose any close code, so unknown codes are counted together.
    events.socket.close(4_242);
    await poll('agent_platform_event_connections_closed_total', { code: 'other' }).toBe(1);
    await poll('agent_platform_event_connections').toBe(0);
  });

  it('include all that the dashboard and the alerts use, and have all changed in tests', async () => {
    const known = new Map<string, Set<string>>();
    for (const { name, labels } of (await read()).samples)
      known.set(name, new Set([...(known.get(name) ?? ['instance', 'job']), ...Object.keys(labels)]));
    const dashboard: { readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[] } =
      JSON.parse(readText('deploy/grafana.json'));
    const alerts: { readonly groups: readonly { readonly rules: readonly { alert: string; expr: string }[] }[] } =
      parse(readText('deploy/alerts.yml'));
    const rules = alerts.groups.flatMap((group) => group.rules);
    const expressions = [...dashboard.panels.flatMap(({ targets }) => targets), ...rules].map(({ expr }) => expr);
    const used = expressions.flatMap(findUsedMetrics);
    expect(used.length).toBeGreaterThan(40);
    // Prometheus itself generates `up`.
    const named = used.filter(({ metric }) => metric !== 'up' && !isOfReplica(metric));
    expect(named.filter(({ metric, labels }) => labels.some((label) => !known.get(metric)?.has(label)))).toEqual([]);
    expect(named.map(({ metric }) => metric).filter((metric) => !known.has(metric))).toEqual([]);
    // The kernel may report the same memory each time, disks keep their size, and connections are only dropped in
    // `open-files.lab.test.ts`.
    const constant = [
      'agent_platform_build_info',
      'process_memory_usage_bytes',
      'agent_platform_capacity_bytes',
      'agent_platform_connections_dropped_total',
    ];
    expect(
      named.map(({ metric }) => metric).filter((metric) => !moved.has(metric) && !constant.includes(metric)),
    ).toEqual([]);
    // The dashboards and alerts must use every existing metric.
    const shown = new Set(named.map(({ metric }) => metric.replace(/_(bucket|count|sum)$/, '')));
    const existing = new Set([...known.keys()].map((name) => name.replace(/_(bucket|count|sum)$/, '')));
    expect([...existing].filter((name) => !shown.has(name))).toEqual([]);
    const documented = firstCells('docs/reference/metrics.md', 'Metrics').filter((name) => !isOfReplica(name));
    expect(documented.toSorted()).toEqual([...existing].toSorted());
    const described = firstCells('docs/guides/monitoring.md', '2. Scrape and alert');
    expect(described).toEqual(rules.map(({ alert }) => alert));
  });
});
