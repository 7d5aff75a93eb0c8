import { expect, it, vi } from 'vitest';
import { captureLog } from '../../testing/test-server.ts';
import { readSettings } from '../platform/settings/settings.ts';
import { findTelemetry } from './find-telemetry.ts';

let loaded = 0;
vi.mock('../telemetry/open-telemetry.ts', () => {
  loaded += 1;
  return { openTelemetry: () => 'opened' };
});

it('loads nothing of OpenTelemetry until a setting asks for metrics or traces', async () => {
  const find = (env: Readonly<Record<string, string>>) => findTelemetry(readSettings(env), captureLog('info').log);

  expect(await find({ OTEL_TRACES_SAMPLER: 'always_on', OTEL_METRIC_EXPORT_INTERVAL: '1000' })).toBeUndefined();
  expect(loaded).toBe(0);
  for (const name of ['', '_METRICS', '_TRACES'])
    expect(await find({ [`OTEL_EXPORTER_OTLP${name}_ENDPOINT`]: 'http://127.0.0.1:4318' })).toBe('opened');
  expect(await find({ PLATFORM_METRICS_PORT: '0' })).toBe('opened');
  expect(loaded).toBe(1);
});
