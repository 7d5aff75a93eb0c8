import Type from 'typebox';
import {
  type IndividualQuotas,
  type QuotaSettings,
  resolveFileQuota,
  resolveTextQuota,
} from '../../../identity/agent-quotas.ts';
import { changeQuotas, type QuotaChange } from '../../../identity/quota-commands.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { defineOperatorCommand, HandlesOrIds, makeArgumentsSchema } from '../../command.ts';
import { bulkTimeoutMs, formatBulkLines, hasBulkSucceeded, makeBulkLogFields, runOnAgents } from './bulk.ts';

function Quota(what: string) {
  return Type.Optional(
    Type.String({
      title: 'n',
      pattern: '^([0-9]{1,15}|default)$',
      description: `${what}; 0 for no limit, "default" for the setting`,
    }),
  );
}

export const setQuotasCommand = defineOperatorCommand({
  name: 'agents quota',
  summary: 'set limits for single agents, which override the settings; "agents show" shows them',
  arguments: makeArgumentsSchema({
    agents: HandlesOrIds,
    files: Quota('active files'),
    fileBytes: Quota('bytes of files, including previews'),
    uploads: Quota('upload records'),
    textBytes: Quota('bytes of text'),
  }),
  answerWithinMs: bulkTimeoutMs,
  run: async (parts, { agents, files, fileBytes, uploads, textBytes }) => {
    const change: QuotaChange = {
      ...named('files_quota', files, integerMax),
      ...named('file_bytes_quota', fileBytes),
      ...named('uploads_quota', uploads, integerMax),
      ...named('text_bytes_quota', textBytes),
    };
    if (Object.keys(change).length === 0) {
      const message = 'Specify at least one limit: --files, --file-bytes, --uploads or --text-bytes.';
      throw new Refusal('invalid_input', message);
    }
    const { record } = parts;
    const store = await parts.store.upToDate();
    return await runOnAgents(parts, agents, (part) => changeQuotas({ store, record }, part, change));
  },
  succeeded: hasBulkSucceeded,
  audit: makeBulkLogFields,
  format: (result) => {
    if ('failed' in result)
      return formatBulkLines(result, { changed: 'has new limits', unchanged: 'has these limits' });
    const { agent, changed } = result;
    return `${agent.handle} (${agent.id}) ${changed ? 'has new limits' : 'already has these limits'}.`;
  },
});

const integerMax = 2 ** 31 - 1;

function named(column: keyof IndividualQuotas, text: string | undefined, max = Number.MAX_SAFE_INTEGER): QuotaChange {
  if (text === undefined) return {};
  const value = text === 'default' ? null : Number(text);
  if (value !== null && value > max) throw new Refusal('invalid_input', `A limit of ${value} is above ${max}.`);
  return { [column]: value };
}

/** `own` is true if the limit is individual. */
export function describeQuotas(agent: IndividualQuotas, settings: QuotaSettings) {
  const { agentFiles: files, agentFileBytes: bytes, agentUploads: records } = settings;
  const inForce = resolveFileQuota(agent, { files, bytes, records });
  return {
    files: { limit: inForce.files, own: agent.files_quota !== null },
    file_bytes: { limit: inForce.bytes, own: agent.file_bytes_quota !== null },
    uploads: { limit: inForce.records, own: agent.uploads_quota !== null },
    text_bytes: { limit: resolveTextQuota(agent, settings.agentTextBytes), own: agent.text_bytes_quota !== null },
  };
}
