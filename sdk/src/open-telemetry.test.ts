import { channel } from 'node:diagnostics_channel';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterEach, expect, it } from 'vitest';
import { makeTestClient, replyPassport } from '../testing/client.ts';
import { replyError, serveScript } from '../testing/scripted-server.ts';

const exporter = new InMemorySpanExporter();

function registerOpenTelemetry() {
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}

afterEach(() => {
  trace.disable();
  context.disable();
  exporter.reset();
});

it('without OpenTelemetry in the application a call has no trace', async () => {
  const server = await serveScript(replyPassport);

  await makeTestClient(server.url).bots.me();

  expect(server.received[0]?.headers).not.toHaveProperty('traceparent');
});

it('each attempt is a span of the active trace, which continues at the server', async () => {
  registerOpenTelemetry();
  const server = await serveScript(replyError(503, 'unavailable'), replyPassport);

  await trace.getTracer('application').startActiveSpan('work', async (span) => {
    await makeTestClient(server.url).bots.me();
    span.end();
  });

  const spans = exporter.getFinishedSpans();
  const work = spans.find(({ name }) => name === 'work')?.spanContext();
  const attempts = spans.filter(({ name }) => name === 'readOwnBot');
  expect(attempts.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([work?.spanId, work?.spanId]);
  expect(attempts.map(({ attributes }) => attributes)).toEqual([
    {
      'http.request.method': 'GET',
      'url.template': '/api/v1/bots/me',
      'server.address': '127.0.0.1',
      'http.response.status_code': 503,
    },
    expect.objectContaining({ 'http.response.status_code': 200, 'http.request.resend_count': 1 }),
  ]);
  expect(server.received.map(({ headers }) => headers['traceparent'])).toEqual(
    attempts.map((span) => `00-${work?.traceId}-${span.spanContext().spanId}-01`),
  );
});

it('neither the header of the caller nor that of an instrumented fetch is duplicated', async () => {
  registerOpenTelemetry();
  const own = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const server = await serveScript(replyPassport, replyPassport);
  const client = makeTestClient(server.url);

  await client.bots.me({ headers: { traceparent: own } });
  const instrumentation = () => undefined;
  channel('undici:request:create').subscribe(instrumentation);
  await client.bots.me().finally(() => channel('undici:request:create').unsubscribe(instrumentation));

  expect(server.received.map(({ headers }) => headers['traceparent'])).toEqual([own, undefined]);
});

it('a broken tracer does not make a call fail', async () => {
  const broken = () => {
    throw new Error('This tracer is broken.');
  };
  const spanContext = () => ({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 });
  for (const startSpan of [broken, () => ({ spanContext, setAttribute: broken, setStatus: broken, end: broken })]) {
    // An application with another version of the OpenTelemetry API registers such a provider.
    trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan, startActiveSpan: broken }) } as never);
    const server = await serveScript(replyPassport);

    await expect(makeTestClient(server.url).bots.me()).resolves.toBeDefined();
    trace.disable();
  }
});
