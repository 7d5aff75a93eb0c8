import type { Agent } from './agent.ts';

/** The default limits of an agent; 0 means unlimited. */
export interface QuotaSettings {
  readonly agentFiles: number;
  readonly agentFileBytes: number;
  readonly agentUploads: number;
  readonly agentTextBytes: number;
}

export type IndividualQuotas = Pick<Agent, 'files_quota' | 'file_bytes_quota' | 'uploads_quota' | 'text_bytes_quota'>;

/** Individual limits override the settings; 0 means unlimited. */
export function resolveFileQuota(
  { files_quota, file_bytes_quota, uploads_quota }: IndividualQuotas,
  setting: { readonly files: number; readonly bytes: number; readonly records: number },
) {
  return {
    files: files_quota ?? setting.files,
    bytes: Number(file_bytes_quota ?? setting.bytes),
    records: uploads_quota ?? setting.records,
  };
}

/** The individual limit overrides the setting; 0 means unlimited. */
export function resolveTextQuota({ text_bytes_quota }: Pick<Agent, 'text_bytes_quota'>, settingBytes: number): number {
  return Number(text_bytes_quota ?? settingBytes);
}
