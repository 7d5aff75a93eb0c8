import type { Agent } from '../../context/agent.ts';
import type { Check, Run } from '../../context/check.ts';
import { errorCodeOf, expect, Violation } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { filesPath } from '../../context/paths.ts';
import { makePng, makePngWithSize } from '../../payloads/png.ts';
import { type FileToUpload, makeUploadForm } from './uploading.ts';

// The quotas that the specification sets for each agent; a third one is 100 MiB of files and previews.
const activeFiles = 100;
const uploadRecords = 1_000;
const fileBytes = 20 * 1024 * 1024;
const pngFile = { filename: 'picture.png', type: 'image/png' } as const;

/** Each check exhausts the file quotas of a separate agent. */
export const fileLimitChecks: readonly Check[] = [
  quotaCheck(0, {
    id: 'limits.files',
    rule: 'An agent can have 100 active files, and the next upload is 429 storage_quota_exceeded.',
    accepted: activeFiles,
    refusedAfter: activeFiles,
    status: 201,
    code: 'storage_quota_exceeded',
    file: () => ({ bytes: makePng(), ...pngFile }),
  }),
  quotaCheck(1, {
    id: 'limits.file-bytes',
    rule: 'An agent can have files of 80 MiB but not over 100 MiB: an upload beyond that is 429 storage_quota_exceeded.',
    // The fifth upload may fail or succeed: previews also use storage, but the specification does not state how much.
    accepted: 4,
    refusedAfter: 5,
    status: 201,
    code: 'storage_quota_exceeded',
    file: ({ random }) => ({ bytes: makePngWithSize(random, fileBytes), ...pngFile }),
  }),
  quotaCheck(2, {
    id: 'limits.upload-records',
    rule: 'An agent can have 1000 upload records, including those of rejected files, and the next upload is 429 storage_record_limit.',
    accepted: uploadRecords,
    refusedAfter: uploadRecords,
    status: 400,
    code: 'storage_record_limit',
    file: () => ({ bytes: Buffer.from('This is no picture.\n') }),
  }),
];

interface Quota extends Pick<Check, 'id' | 'rule'> {
  /** The first `accepted` uploads must return `status`; once `refusedAfter` were sent, the next one must be refused. */
  readonly accepted: number;
  readonly refusedAfter: number;
  readonly status: number;
  readonly code: string;
  file(run: Run): FileToUpload;
}

function quotaCheck(member: number, { id, rule, accepted, refusedAfter, status, code, file }: Quota): Check {
  return {
    id,
    rule,
    covers: ['AP-FILE-033'],
    profile: 'limits',
    extraAgents: member + 1,
    cost: { writes: refusedAfter + 2, uploads: refusedAfter + 2 },
    async judge(run) {
      const agent = (await run.extraAgents.register(member + 1))[member] as Agent;
      for (let count = 0; count < refusedAfter; count += 1) {
        const answer = await uploadUnlimited(run, agent, file(run));
        if (count < accepted) expect.status(answer, status);
        if (answer.status === 429) return expect.refusal(answer, 429, code);
      }
      const last = await uploadUnlimited(run, agent, file(run));
      if (last.status !== 429) throw new Violation(`${last.status} instead of 429 ${code}`, last);
      expect.refusal(last, 429, code);
    },
  };
}

/** If the write rate limit is reached before a file quota, retries after a minute. */
async function uploadUnlimited(run: Run, agent: Agent, file: FileToUpload): Promise<Exchange> {
  const send = () =>
    agent.send({ method: 'POST', path: filesPath, form: makeUploadForm(run, file), mayBeLimited: true });
  const answer = await send();
  if (answer.status !== 429 || errorCodeOf(answer)?.startsWith('storage_') === true) return answer;
  await run.budget.rest('writes', agent.id);
  return await send();
}
