import type { Agent } from './agent.ts';

/** The default limits of an agent, from the settings; 0 is none. */
export interface QuotaSettings {
  readonly agentFiles: number;
  readonly agentFileBytes: number;
  readonly agentUploads: number;
  readonly agentTextBytes: number;
}

/** The columns of an agent's own limits. */
export type OwnQuotas = Pick<Agent, 'files_quota' | 'file_bytes_quota' | 'uploads_quota' | 'text_bytes_quota'>;

/** The limits of files, file bytes and upload records that hold for an agent; 0 is none. */
export function fileQuotaOf(
  { files_quota, file_bytes_quota, uploads_quota }: OwnQuotas,
  setting: { readonly files: number; readonly bytes: number; readonly records: number },
) {
  return {
    files: files_quota ?? setting.files,
    bytes: Number(file_bytes_quota ?? setting.bytes),
    records: uploads_quota ?? setting.records,
  };
}

/** The limit of text bytes that holds for an agent; 0 is none. */
export function textQuotaOf({ text_bytes_quota }: Pick<Agent, 'text_bytes_quota'>, settingBytes: number): number {
  return Number(text_bytes_quota ?? settingBytes);
}
