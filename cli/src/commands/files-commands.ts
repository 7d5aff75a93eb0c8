import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { type CommandGroup, defineAgentCommand, exampleId, parseFirstArgument } from '@agent-platform/cli-core/command';
import { exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
import { CommandError, UsageError } from '@agent-platform/cli-core/errors/failure';
import type { ParsedArguments } from '@agent-platform/cli-core/options/parsed-arguments';
import { formatCard, type TextLayout } from '@agent-platform/cli-core/output/layout';
import { openProgressBar } from '@agent-platform/cli-core/output/progress-bar';
import { formatBoolean, formatSize, formatTime } from '@agent-platform/cli-core/output/values';
import { toVisibleLine } from '@agent-platform/cli-core/output/visible-text';
import type { OpenedAgent } from '@agent-platform/cli-core/session/session';
import { filePurposes, uploadFile } from '@agent-platform/cli-core/session/upload-file';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import { type Attachment, type OwnAttachment, safeFileName, unfenced } from '@agent-platform/sdk';
import { Argument, Option } from 'commander';

export const filesCommands: CommandGroup = {
  noun: 'files',
  summary: 'pictures and PDFs: upload, show, download',
  commands: [
    defineAgentCommand({
      path: ['files', 'upload'],
      effect: 'write',
      repeat: 'with-key',
      operations: ['uploadAttachment'],
      summary: 'upload a JPEG, PNG or static PDF of up to 20 MiB',
      description:
        'The server does not store data after the end of an image: the video of a motion photo, the gain map of an HDR photograph and second views are dropped. size_bytes and sha256 describe the stored file.',
      examples: [
        'agentp files upload chart.png --purpose portfolio',
        'agentp files upload terms.pdf --purpose order --upload-id "$(uuidgen)"',
      ],
      arguments: [new Argument('<file>', 'the path of the file')],
      options: [
        new Option('--purpose <purpose>', 'the purpose, which cannot be changed')
          .choices(filePurposes)
          .makeOptionMandatory(),
        new Option('--upload-id <uuid>', 'a repeat with the same id stores the file once; default: a random id'),
        new Option('--filename <name>', 'the name on the server; default: the name of the file'),
      ],
      out: schema.contractRecord('Attachment'),
      parse: parseUpload,
      request: ({ platform, io }, file) => uploadFile(platform, file, io),
      format: formatFile,
    }),
    defineAgentCommand({
      path: ['files', 'show'],
      effect: 'read',
      repeat: 'safe',
      operations: ['readAttachment'],
      summary: 'show the record of a file',
      examples: [`agentp files show ${exampleId}`],
      arguments: [new Argument('<id>', 'the id of the file')],
      out: schema.contractRecord('Attachment'),
      parse: parseFirstArgument,
      request: ({ platform, signal }, id) => platform.attachments.get(id, { signal }),
      format: formatFile,
    }),
    defineAgentCommand({
      path: ['files', 'download'],
      effect: 'read',
      repeat: 'safe',
      operations: ['readAttachment', 'downloadAttachment', 'previewAttachment'],
      summary: 'save a file: the original if it is yours, otherwise the processed picture',
      examples: [`agentp files download ${exampleId} --to chart.png`, `agentp files download ${exampleId} --preview`],
      arguments: [new Argument('<id>', 'the id of the file')],
      options: [
        new Option(
          '--to <file>',
          'the target path; default: the name of the file with the extension of its type, in this folder',
        ),
        new Option('--preview', 'the processed picture; for a PDF its first page'),
        new Option('--replace', 'replace an existing file'),
      ],
      exits: [
        exitCodes.notAuthorised,
        exitCodes.notFound,
        exitCodes.conflict,
        exitCodes.refusedInput,
        exitCodes.limit,
        exitCodes.unavailable,
      ],
      out: schema.objectOf({
        id: schema.id,
        path: schema.text,
        media_type: schema.text,
        size_bytes: schema.integer,
      }),
      parse: parseDownload,
      request: download,
      format: (_, { size_bytes, path }) => `Saved ${formatSize(size_bytes)} to ${toVisibleLine(path)}\n`,
    }),
  ],
};

function parseUpload(args: ParsedArguments) {
  const purpose = args.choice('purpose', filePurposes);
  if (purpose === undefined) throw new UsageError('A file requires a purpose.', 'See agentp files upload --help');
  return { path: args.argument(0), purpose, uploadId: args.text('upload-id'), filename: args.text('filename') };
}

function parseDownload(args: ParsedArguments) {
  const [isPreview, mayReplace] = [args.flag('preview'), args.flag('replace')];
  return { id: args.argument(0), to: args.text('to'), isPreview, mayReplace };
}

async function download(agent: OpenedAgent, { id, to, isPreview, mayReplace }: ReturnType<typeof parseDownload>) {
  const { platform, signal, io } = agent;
  const { attachments } = platform;
  const path = resolve(to ?? fileNameOf(await attachments.get(id, { signal }), isPreview));
  refuseTarget(path, mayReplace);
  const content = await (isPreview ? attachments.preview(id, { signal }) : attachments.download(id, { signal }));
  const bar = openProgressBar(io, path);
  let sizeBytes = 0;
  try {
    await content.saveTo(path, (savedBytes) => {
      sizeBytes = savedBytes;
      bar.update(savedBytes, content.sizeBytes ?? savedBytes);
    });
  } finally {
    bar.remove();
  }
  return { id, path, media_type: content.mediaType, size_bytes: sizeBytes };
}

/** Throws for a folder or a device, and for an existing file or link that may not be replaced. */
function refuseTarget(path: string, mayReplace: boolean): void {
  const present = lstatSync(path, { throwIfNoEntry: false });
  if (present === undefined) return;
  if (!present.isFile() && !present.isSymbolicLink())
    throw new UsageError(`${JSON.stringify(path)} is not a file.`, 'Choose another path with --to.');
  if (mayReplace) return;
  const hint = 'Choose another path with --to, or add --replace.';
  throw new CommandError(exitCodes.conflict, 'file_exists', `${JSON.stringify(path)} already exists.`, hint);
}

// A preview has no name and is always a JPEG, so it is named after the id of the file.
function fileNameOf(file: Attachment, isPreview: boolean): string {
  return safeFileName(isPreview ? { id: file.id, media_type: 'image/jpeg' } : file);
}

/** Formats a file as text; its name may be untrusted. */
function formatFile(page: TextLayout, file: Attachment | OwnAttachment): string {
  const { filename, width, height, page_count } = file;
  return formatCard(page, filename === undefined ? `${file.purpose} ${file.id}` : unfenced(filename), [
    ['id', file.id],
    ['purpose', file.purpose],
    ['type', file.media_type],
    ['size', formatSize(file.size_bytes)],
    ['pixels', width === null || height === null ? undefined : `${width} × ${height}`],
    ['pages', page_count === null ? undefined : String(page_count)],
    ['available', formatBoolean(file.available)],
    ['sha256', file.sha256],
    ['created', formatTime(file.created_at, page.now)],
  ]);
}
