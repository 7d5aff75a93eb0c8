import type { IncomingHttpHeaders } from 'node:http';
import { downloadAttachment, previewAttachment, readAttachment, uploadAttachment } from '@agent-platform/contract';
import type { Caller } from '../identity/tokens/token-queries.ts';
import { type Mount, reply } from '../platform/http/mount.ts';
import { Refusal } from '../platform/refusal.ts';
import { findReadable, type IsOrderParticipant } from './attachment-queries.ts';
import { downloadContent, processedContent, showAttachment } from './attachment-view.ts';
import { type Content, planContent } from './content.ts';
import { type UploadParts, upload } from './upload/upload-commands.ts';

/** The parts of the routes of files. */
interface AttachmentParts extends UploadParts {
  readonly isOrderParticipant: IsOrderParticipant;
}

/** Mounts the upload of files, their records and their bytes. */
export function mountAttachments(mount: Mount<Caller>, parts: AttachmentParts): void {
  const { store, isOrderParticipant } = parts;

  mount(uploadAttachment, async ({ caller, form }) => {
    const { file, isNew } = await upload(parts, caller.agent.id, form);
    return reply(isNew ? 201 : 200, { attachment: showAttachment(file, 'original') });
  });

  mount(readAttachment, async ({ caller, params }) => {
    const { file, audience } = await load(params.attachment_id, caller);
    return reply(200, { attachment: showAttachment(file, audience) });
  });

  mount(previewAttachment, async ({ caller, params, method, headers }) => {
    const { file, isPublic } = await loadWithBytes(params.attachment_id, caller);
    return await serve(parts, processedContent(file, isPublic), method, headers);
  });

  mount(downloadAttachment, async ({ caller, params, method, headers }) => {
    const { file, audience, isPublic } = await loadWithBytes(params.attachment_id, caller);
    return await serve(parts, downloadContent(file, audience, isPublic), method, headers);
  });

  async function load(id: string, caller: Caller | undefined) {
    const found = await store.read((reader) => findReadable(reader, id, caller?.agent.id, isOrderParticipant));
    if (found === undefined) throw noSuchFile();
    return found;
  }

  async function loadWithBytes(id: string, caller: Caller | undefined) {
    const found = await load(id, caller);
    if (found.file.cleaned_at !== null) throw noSuchFile();
    return found;
  }
}

async function serve({ storage }: AttachmentParts, content: Content, method: string, headers: IncomingHttpHeaders) {
  const plan = planContent(content, {
    // HTTP defines ranges only for GET.
    range: method === 'GET' ? headers.range : undefined,
    ifRange: header(headers['if-range']),
    ifNoneMatch: headers['if-none-match'],
  });
  if (plan.kind === 'unchanged') return reply(304, null, plan.headers);
  if (plan.kind === 'unsatisfiable') {
    throw new Refusal(
      'range_not_satisfiable',
      `The file has ${content.bytes} bytes. Request a range within this size.`,
      {
        headers: plan.headers,
      },
    );
  }
  const stream = await storage.open(content.key, plan.kind === 'part' ? plan : undefined);
  // Removed after its record was read.
  if (stream === undefined) throw noSuchFile();
  return plan.kind === 'part' ? reply(206, stream, plan.headers) : reply(200, stream, plan.headers);
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

function noSuchFile(): Refusal {
  return new Refusal('not_found', 'The file does not exist or is not accessible to this reader.');
}
