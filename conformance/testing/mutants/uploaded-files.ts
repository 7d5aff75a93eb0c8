import { idIn, type MutableObject, parseJsonObject } from '../faults.ts';
import { partOf, partsOf } from '../forms.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../passing.ts';

export interface UploadedOriginal {
  readonly id: string;
  readonly filename: string;
  /** The content as uploaded, with one character per byte. */
  readonly original: string;
}

export function findUploadedOriginal(reply: ProxiedReply, request: ProxiedRequest): UploadedOriginal | undefined {
  const original = partOf(request, 'file');
  const record =
    original === undefined ? undefined : (parseJsonObject(reply.body)?.['attachment'] as MutableObject | undefined);
  if (original === undefined || typeof record?.['id'] !== 'string') return undefined;
  const head = partsOf(request).find(({ name }) => name === 'file')?.head ?? '';
  return { id: record['id'], original, filename: /filename="([^"]*)"/.exec(head)?.[1] ?? '' };
}

/** Makes a fault that changes the replies about a file, with access to the original that was uploaded. */
export function withOriginal(
  change: (reply: ProxiedReply, original: UploadedOriginal, request: ProxiedRequest) => ProxiedReply,
): () => Fault {
  return () => {
    const originals = new Map<string, UploadedOriginal>();
    return {
      onReply: (passing, request) => {
        const uploaded = findUploadedOriginal(passing, request);
        if (uploaded !== undefined) originals.set(uploaded.id, uploaded);
        const original = originals.get(idIn(request.path));
        return original === undefined ? passing : change(passing, original, request);
      },
    };
  };
}
