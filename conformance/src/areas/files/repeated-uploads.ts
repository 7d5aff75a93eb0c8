import { sendConcurrently } from '../../context/agent.ts';
import { type Check, defineCheck, defineFixture } from '../../context/check.ts';
import { expect, isSameId } from '../../context/expectations.ts';
import { makePhoto } from '../../payloads/jpeg.ts';
import { expectAttachment, requestUpload, uploadFile } from './uploading.ts';

export const repeatedUpload = defineFixture({ writes: 3, uploads: 3 }, async (run) => {
  const author = await run.freshAgent();
  const file = { ...makePhoto(run.random), uploadId: run.random.uuid() };
  const id = await uploadFile(run, author, file);
  const repeat = await requestUpload(run, author, file);
  const conflict = await requestUpload(run, author, { ...file, ...makePhoto(run.random) });
  return { author, file, id, repeat, conflict };
});

export const repeatedUploadCheck: Check = defineCheck(repeatedUpload, {
  id: 'uploads.repeated',
  covers: ['AP-FILE-003', 'AP-FILE-008', 'AP-FILE-027'],
  rule: 'A repeat of the same upload, even a concurrent one, is 200 with the same file; another file or purpose with the same id is a conflict, and another agent that sends this id does not receive the file.',
  cost: { writes: 4, uploads: 4 },
  async judge({ author, file, id, repeat, conflict }, run) {
    await run.requirement('AP-FILE-003', async () => {
      expect(isSameId(expectAttachment(repeat)['id'], id), 'the repeat returns a different file', repeat);
      const twice = { ...makePhoto(run.random), uploadId: run.random.uuid() };
      const answers = await sendConcurrently(author, [twice, twice], (one) => requestUpload(run, author, one));
      // The server may refuse one upload while the other is in progress.
      const taken = answers.filter(({ status }) => status < 300);
      const ids = new Set(taken.map((answer) => String(expectAttachment(answer, answer.status)['id'])));
      expect(ids.size <= 1, 'two concurrent requests with the same upload created two files', taken[0]);
    });
    await run.requirement('AP-FILE-008', async () => {
      expect.status(conflict, 409);
      expect.status(await requestUpload(run, author, { ...file, purpose: 'order' }), 409);
    });
    await run.requirement('AP-FILE-027', async () => {
      const { uploadId } = file;
      const foreign = await requestUpload(run, await run.primaryAgent(), { ...makePhoto(run.random), uploadId });
      expect.noRecord(foreign, id, 'the file of another agent');
      // An upload_id is unique only per agent, so another agent can use the same one.
      await run.requirement('AP-FILE-001', () => expect.status(foreign, 201), { isPart: true });
    });
  },
});
