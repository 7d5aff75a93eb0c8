import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { startLoadAdjustedTimer } from '@agent-platform/testing';
import { copyTemplateDatabase } from '@agent-platform/testing/template-database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectEvents } from '../../testing/event-client.ts';
import { readRealFile } from '../../testing/files/real-files.ts';
import { type Installation, type Instance, makeInstallation, register } from '../../testing/installation.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../../testing/otlp-receiver.ts';
import { uploadFile } from '../../testing/scenarios/upload.ts';
import { sendRequest } from '../../testing/test-server.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';

describe('the traces of a server', () => {
  let database: Awaited<ReturnType<typeof copyTemplateDatabase>>;
  let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>;
  let installation: Installation;
  let server: Instance;
  let log = '';
  let secrets: readonly string[] = [];
  const childrenOf = (span: ReceivedSpan | undefined) =>
    receiver.spans.filter(({ parentSpanId }) => span !== undefined && parentSpanId === span.spanId);
  const requestsOf = (trace: string) => receiver.spans.filter(({ traceId: own, kind }) => own === trace && kind === 2);

  beforeAll(async () => {
    database = await copyTemplateDatabase();
    receiver = await startOtlpReceiver();
    installation = makeInstallation({ ...database.environment, OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/` });
    server = await installation.start();
    const [alice, bob] = [await register(server.url, 'alice_secret'), await register(server.url, 'bob_secret')];
    const carol = await register(server.url, 'carol_secret');
    const own = await sendRequest(server.url, 'GET', '/api/v1/bots/me', { token: bob.token });
    const events = await connectEvents(server.url, bob);
    const headers = { traceparent: `00-${traceId}-${parentId}-01`, tracestate: 'secret=1', baggage: 'secret=2' };
    const body = { recipient_id: String(own.body['bot']?.['id']) };
    const ask = (token: string, more?: object) =>
      sendRequest(server.url, 'POST', '/api/v1/contacts/requests', { token, body, ...more });
    // The connection's initial read may find the first event, without a wake-up that could be traced.
    await ask(carol.token);
    await events.until(1);
    await ask(alice.token, { headers });
    await events.until(2);
    await uploadFile(server.url, alice.token, { file: readRealFile('upright.jpg'), filename: 'secret.jpg' });
    for (const [index, traceparent] of hostile.entries())
      await fetch(`${server.url}/hostile/${index}?q=secret`, { headers: { traceparent } });
    await events.close();
    secrets = ['secret', alice.token, bob.token, carol.token, body.recipient_id];
    // The server exports the remaining spans when it stops.
    await server.stop();
    log = server.logged();
  });
  afterAll(async () => {
    await installation.stop();
    await receiver.close();
    await database.drop();
  });

  const hostile = [
    `00-${'0'.repeat(32)}-${parentId}-01`,
    `00-${traceId.replace('4b', 'aa')}-${'0'.repeat(16)}-01`,
    `00-${traceId.replace('4b', 'bb')}-${parentId}-01-${'x'.repeat(8_000)}`,
    `ff-${traceId.replace('4b', 'cc')}-${parentId}-01`,
    `01-${traceId.replace('4b', 'dd')}-${parentId}-01-more`,
    `00-${traceId.replace('4b', 'ZZ')}-${parentId}-01`,
    'x'.repeat(10_000),
  ];

  it('continue the trace of a request, with its statements and the delivery of its event', () => {
    const [request, ...others] = requestsOf(traceId);
    expect(others).toEqual([]);
    expect(request).toMatchObject({
      name: 'POST /api/v1/contacts/requests',
      parentSpanId: parentId,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v1/contacts/requests',
        'http.response.status_code': 201,
      },
    });
    const children = childrenOf(request);
    expect(children.find(({ name }) => name === 'event delivery')?.attributes).toEqual({
      'agent_platform.event.kind': 'contact.requested',
    });
    const statements = children.filter(({ kind }) => kind === 3);
    expect(statements.map(({ name }) => name)).toContain('insert-event');
    expect(statements.length).toBeGreaterThan(2);
    expect(log.split('\n').filter((line) => line.includes(`"trace_id":"${traceId}"`))).toHaveLength(1);
  });

  it('include the check of an upload whose body arrives in pieces', () => {
    const upload = receiver.spans.find(({ name }) => name === 'POST /api/v1/attachments');
    expect(childrenOf(upload).map(({ name }) => name)).toContain('upload check');
    // Statements after the body was read also belong to the request.
    expect(childrenOf(upload).filter(({ kind }) => kind === 3).length).toBeGreaterThan(2);
  });

  it('ignore a header without a valid trace', () => {
    const requests = receiver.spans.filter(({ name, parentSpanId }) => name === 'GET' && parentSpanId === '');
    expect(requests).toHaveLength(hostile.length);
    expect(new Set(requests.map((span) => span.traceId)).size).toBe(hostile.length);
  });

  it('contain no handle, token, id, address, file name or header text', () => {
    const sent = receiver.text();
    for (const secret of [...secrets, '127.0.0.1']) expect(sent).not.toContain(secret);
  });

  it('are exported with the metrics, under the names of OpenTelemetry', () => {
    expect(receiver.metricNames).toContain('http.server.request.duration');
    expect(receiver.metricNames).toContain('agent_platform.event.oldest_unacknowledged');
  });
});

it('collectors that freeze or send nonsense delay neither requests nor the stop, and are reported once', async () => {
  const frozen = createServer().listen(0, '127.0.0.1');
  const nonsense = createServer((socket) => socket.on('error', () => undefined).end('nonsense')).listen(0, '127.0.0.1');
  await Promise.all([once(frozen, 'listening'), once(nonsense, 'listening')]);
  const urlOf = (collector: Server) => `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const database = await copyTemplateDatabase();
  const installation = makeInstallation({
    ...database.environment,
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: urlOf(nonsense),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: urlOf(frozen),
    OTEL_METRIC_EXPORT_INTERVAL: '100',
    PLATFORM_METRICS_HOST: '0.0.0.0',
    PLATFORM_METRICS_PORT: '0',
  });
  try {
    const server = await installation.start();
    expect(server.logged()).toContain('the metrics are served to other machines');
    await expect.poll(() => server.logged()).toContain('could not be exported');
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
    const quietMs = startLoadAdjustedTimer();
    await server.stop();
    expect(quietMs()).toBeLessThan(2_000);
    const lines = server
      .logged()
      .split('\n')
      .filter((line) => line.includes('could not be exported'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('stack');
  } finally {
    await installation.stop();
    frozen.close();
    nonsense.close();
    await database.drop();
  }
});
