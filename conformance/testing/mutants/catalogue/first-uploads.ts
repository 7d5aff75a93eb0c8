import { randomUUID } from 'node:crypto';
import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { isAbout, refusal } from '../../faults.ts';
import { formField, type ProxiedPart, partOf, partsOf, withParts } from '../../forms.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../../passing.ts';

const table = `
takes a field that does not belong to an upload | exactly three single fields | = dropsUnknown
takes the first of two equal fields | exactly three single fields | = takesFirst
takes the last of two purposes | exactly three single fields | = takesLastPurpose
chooses an upload_id where none is sent | exactly three single fields | = choosesId
takes an upload without a purpose for one of an order | exactly three single fields | = choosesPurpose
takes an upload_id that is no UUID | upload_id (UUID) | = takesAnyId
takes other purposes for portfolio | purpose (avatar, character, portfolio, order) | = takesAnyPurpose
takes purposes in capitals | purpose (avatar, character, portfolio, order) | = foldsPurposes
gives an upload to another agent that has its upload_id | attachments belong to their owner | = sharesUploads
takes PDF as <avatar character> | avatar and character: JPEG, PNG only | = takesPdfAs<>
takes empty files | invalid_file | = takesEmpty
takes pictures above 20 million pixels | image up to 20 million pixels | = takesLarge
refuses pictures of more than 10 million pixels | image up to 20 million pixels | = refusesLarge
refuses uploads above 1 MiB | one file up to 20 MiB | POST /attachments longer:'1048576' <- 413 body_too_large
answers a new upload as not available | available (boolean), false after the bytes are removed | POST /attachments 201 -> set attachment.available false
answers a new upload without a download | download_url; null after the bytes are removed | POST /attachments 201 -> set attachment.download_url null
`;

const isUpload = (sent: ProxiedRequest) => isAbout(sent, 'POST /api/v1/attachments');
const fields = ['file', 'purpose', 'upload_id'];
const purposes = ['avatar', 'character', 'portfolio', 'order'];
const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
).toString('latin1');

function parts(change: (parts: readonly ProxiedPart[]) => readonly ProxiedPart[]): Fault {
  return {
    onRequest: (sent) => {
      const before = isUpload(sent) ? partsOf(sent) : [];
      const after = change(before);
      const isSame = after.length === before.length && after.every((part, at) => part === before[at]);
      return before.length === 0 || isSame ? sent : withParts(sent, after);
    },
  };
}

function content(name: string, change: (content: string) => string): Fault {
  return parts((all) =>
    all.map((part) => {
      const next = part.name === name ? change(part.content) : part.content;
      return next === part.content ? part : { ...part, content: next };
    }),
  );
}

/** Accepts files that must be refused: replaces them by a picture of one pixel. */
function takes(isTaken: (file: string, purpose: string, head: string) => boolean): Fault {
  return parts((all) => {
    const purpose = all.find(({ name }) => name === 'purpose')?.content ?? '';
    return all.map((part) =>
      part.name === 'file' && isTaken(part.content, purpose, part.head) ? { ...part, content: pixel } : part,
    );
  });
}

function refuses(isRefused: (file: string, purpose: string, head: string) => boolean): Fault {
  return {
    onRequest: (sent) => {
      if (!isUpload(sent)) return sent;
      const file = partsOf(sent).find(({ name }) => name === 'file');
      const isMeant = file !== undefined && isRefused(file.content, partOf(sent, 'purpose') ?? '', file.head);
      return isMeant ? refusal(400, 'invalid_file') : sent;
    },
  };
}

const isPdf = (file: string) => file.startsWith('%PDF');
const isPng = (file: string) => file.startsWith('\x89PNG');

function pixelsOf(file: string): number {
  if (!isPng(file) || file.length < 24) return 0;
  const bytes = Buffer.from(file.slice(16, 24), 'latin1');
  return bytes.readUInt32BE(0) * bytes.readUInt32BE(4);
}

/** Answers repeated uploads with the first answer; uploads with the same `keyOf` are repeats. */
function repeats(keyOf: (sent: ProxiedRequest) => string, isMeant: (reply: ProxiedReply) => boolean): () => Fault {
  return () => {
    const first = new Map<string, ProxiedReply>();
    return {
      onReply: (reply, sent) => {
        if (!isUpload(sent)) return reply;
        const known = first.get(keyOf(sent));
        if (reply.status === 201 && known === undefined) first.set(keyOf(sent), reply);
        return known !== undefined && isMeant(reply) ? { ...known, status: 200 } : reply;
      },
    };
  };
}

const idOf = (sent: ProxiedRequest) => partOf(sent, 'upload_id') ?? '';
const unless = (name: string, added: () => ProxiedPart) =>
  parts((all) => (all.some((part) => part.name === name) ? all : [...all, added()]));

export default parseCatalogueTable(table, {
  faults: {
    dropsUnknown: parts((all) => all.filter(({ name }) => fields.includes(name))),
    takesFirst: parts((all) => all.filter(({ name }, at) => all.findIndex((other) => other.name === name) === at)),
    takesLastPurpose: parts((all) =>
      all.filter(({ name }, at) => name !== 'purpose' || all.findLastIndex((other) => other.name === name) === at),
    ),
    choosesId: unless('upload_id', () => formField('upload_id', randomUUID())),
    choosesPurpose: unless('purpose', () => formField('purpose', 'order')),
    takesAnyId: content('upload_id', (id) => (uuidForm.test(id) ? id : randomUUID())),
    takesAnyPurpose: content('purpose', (purpose) => (purposes.includes(purpose) ? purpose : 'portfolio')),
    foldsPurposes: content('purpose', (purpose) => purpose.toLowerCase()),
    sharesUploads: repeats(idOf, ({ status }) => status === 201),
    takesPdfAsavatar: takes((file, purpose) => isPdf(file) && purpose === 'avatar'),
    takesPdfAscharacter: takes((file, purpose) => isPdf(file) && purpose === 'character'),
    takesEmpty: takes((file) => file === ''),
    takesLarge: takes((file) => pixelsOf(file) > 20_000_000),
    refusesLarge: refuses((file) => pixelsOf(file) > 10_000_000),
  },
});
