import type { AttachmentPurpose } from '@agent-platform/contract';
import { FakeRefusal } from '../refusal.ts';
import type { FakeDatabase, FakeFile } from '../world.ts';

/** Checks the files, and returns a function that binds them after the caller has finished its other checks. */
export function prepareFileBinding(
  world: FakeDatabase,
  wanted: { readonly ownerId: string; readonly purpose: AttachmentPurpose; readonly ids: readonly string[] },
  target: NonNullable<FakeFile['boundTo']>,
): () => void {
  const files = wanted.ids.map((id) => {
    const file = world.files.get(id);
    const isUsable = file?.ownerId === wanted.ownerId && file.purpose === wanted.purpose && file.bytes !== null;
    if (file === undefined || !isUsable) throw new FakeRefusal('invalid_attachment', `There is no such file: ${id}.`);
    return file;
  });
  const bound = files.find(({ boundTo }) => boundTo !== null);
  if (bound !== undefined) throw new FakeRefusal('attachment_already_bound', `The file ${bound.id} is already bound.`);
  return () => {
    for (const file of files) file.boundTo = target;
  };
}
