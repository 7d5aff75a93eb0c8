import type { IncomingHttpHeaders } from 'node:http';
import { downloadAttachment, previewAttachment, readAttachment, uploadAttachment } from '@agent-platform/contract';
import type { Caller } from '../identity/tokens/token-queries.ts';
import { unavailableRefusal } from '../platform/failure.ts';
import { makeAddressKey } from '../platform/http/address.ts';
import { matchesEtag } from '../platform/http/headers.ts';
import { makeReply, type OperationMounter } from '../platform/http/mount.ts';
import { Refusal } from '../platform/refusal.ts';
import { findReadableFile, type IsOrderParticipant } from './attachment-queries.ts';
import {
  getDownloadContent,
  getProcessedContent,
  isContentAvailable,
  type ServedContent,
  showAttachment,
} from './attachment-view.ts';
import { chooseRange, formatContentDisposition, matchesIfRange } from './byte-range.ts';
import { DamagedFileError, type VerifiedFileReader } from './damage/verify-files-queries.ts';
import { receiveUpload, type UploadDependencies } from './upload/upload-commands.ts';

interface AttachmentDependencies extends UploadDependencies {
  readonly isOrderParticipant: IsOrderParticipant;
  readonly verified: VerifiedFileReader;
}

interface BytesRequest {
  readonly caller: Caller | undefined;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

export function mountAttachments(mount: OperationMounter<Caller>, parts: AttachmentDependencies): void {
  const { store, isOrderParticipant } = parts;

  mount(uploadAttachment, async ({ caller, address, form }) => {
    const uploader = { ownerId: caller.agent.id, own: caller.agent, address: makeAddressKey(address) };
    const { file, isNew } = await receiveUpload(parts, uploader, form);
    return makeReply(isNew ? 201 : 200, { attachment: showAttachment(file, 'own') });
  });

  mount(readAttachment, async ({ caller, params }) => {
    const { file, audience } = await load(params.attachment_id, caller);
    return makeReply(200, { attachment: showAttachment(file, audience) });
  });

  mount(previewAttachment, ({ params, ...request }) =>
    serve(params.attachment_id, request, ({ file, isPublic }) => getProcessedContent(file, isPublic)),
  );

  mount(downloadAttachment, ({ params, ...request }) =>
    serve(params.attachment_id, request, ({ file, audience, isPublic }) =>
      getDownloadContent(file, audience, isPublic),
    ),
  );

  async function load(id: string, caller: Caller | undefined) {
    const found = await store.read((reader) =>
      findReadableFile(reader, id, caller?.agent.id, isOrderParticipant, parts),
    );
    if (found === undefined) throw noSuchFile();
    return found;
  }

  async function serve(
    id: string,
    request: BytesRequest,
    choose: (found: Awaited<ReturnType<typeof load>>) => ServedContent,
  ) {
    const loadContent = async () => {
      const found = await load(id, request.caller);
      if (!isContentAvailable(found.file)) throw noSuchFile();
      return choose(found);
    };
    const content = await loadContent();
    try {
      return await serveContent(parts.verified, content, request);
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      // Throws `not_found` if the file was removed after its record was read.
      await loadContent();
      throw unavailableRefusal(error);
    }
  }
}

// A browser must not execute anything in the file.
const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
};

/** Serves the content of a file or a range of it (§5.33). */
async function serveContent(verified: VerifiedFileReader, content: ServedContent, { method, headers }: BytesRequest) {
  const { bytes, mediaType, filename, isPublic } = content;
  const etag = `"${content.sha256}"`;
  const version = {
    etag,
    'cache-control': isPublic ? 'public, no-cache' : 'private, no-cache',
    vary: 'authorization',
    'accept-ranges': 'bytes',
    ...securityHeaders,
  };
  if (matchesEtag(headers['if-none-match'], etag)) return makeReply(304, null, version);
  // HTTP defines ranges only for GET.
  const takesRange = method === 'GET' && matchesIfRange(header(headers['if-range']), etag);
  const range = chooseRange(takesRange ? headers.range : undefined, bytes);
  if (range.kind === 'unsatisfiable') {
    throw new Refusal('range_not_satisfiable', `The file has ${bytes} bytes. Request a range within this size.`, {
      headers: { ...securityHeaders, 'content-range': `bytes */${bytes}` },
    });
  }
  const described = {
    ...version,
    'content-type': mediaType,
    'content-disposition': formatContentDisposition(filename),
  };
  if (range.kind === 'whole') {
    const body = method === 'HEAD' ? await verified.openHead(content) : await verified.openWhole(content);
    return makeReply(200, body, { ...described, 'content-length': String(bytes) });
  }
  const { start, end } = range;
  const part = { 'content-range': `bytes ${start}-${end}/${bytes}`, 'content-length': String(end - start + 1) };
  return makeReply(206, await verified.openPart(content, range), { ...described, ...part });
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

function noSuchFile(): Refusal {
  return new Refusal('not_found', 'The file does not exist or is not accessible to this reader.');
}
