import type { Logger } from '../platform/logger.ts';
import type { Settings } from '../platform/settings/settings.ts';
import type { OpenTelemetry } from '../telemetry/open-telemetry.ts';

/** Opens metrics and traces where the settings ask for them; nothing of OpenTelemetry is loaded otherwise. */
export async function findTelemetry(settings: Settings, log: Logger): Promise<OpenTelemetry | undefined> {
  const { metricsPort, exporterOtlpEndpoint, exporterOtlpMetricsEndpoint, exporterOtlpTracesEndpoint } = settings;
  const endpoint = exporterOtlpEndpoint ?? exporterOtlpMetricsEndpoint ?? exporterOtlpTracesEndpoint;
  if (metricsPort === undefined && endpoint === undefined) return undefined;
  const { openTelemetry } = await import('../telemetry/open-telemetry.ts');
  return openTelemetry(settings, log);
}
