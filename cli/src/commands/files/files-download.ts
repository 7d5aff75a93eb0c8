import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type Attachment, unfenced } from '@agent-platform/sdk';
import { Argument, Option } from 'commander';
import { UsageError } from '../../errors/failure.ts';
import { openProgressBar, showSize } from '../../output/progress-bar.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';

interface Input {
  readonly id: string;
  readonly to: string | undefined;
  readonly isPreview: boolean;
  readonly mayReplace: boolean;
}

/** Saves a file, or what it looks like. */
export const filesDownload = verb<Input>({
  path: ['files', 'download'],
  summary: 'save a file: the original if it is an own one, else its processed picture',
  examples: [
    'agentp files download 01a1fdff-c0dc-7093-b041-e5d4cac41340 --to chart.png',
    'agentp files download 01a1fdff-c0dc-7093-b041-e5d4cac41340 --preview',
  ],
  arguments: [new Argument('<id>', 'the id of the file')],
  options: [
    new Option('--to <file>', 'where to; else under its own name, here'),
    new Option('--preview', 'the processed picture; of a PDF the first page'),
    new Option('--replace', 'replace a file that is there'),
  ],
  members: { id: 'value', path: 'value', media_type: 'value', size_bytes: 'value' },
  parse: (typed) => ({
    id: typed.argument(0),
    to: typed.text('to'),
    isPreview: typed.flag('preview'),
    mayReplace: typed.flag('replace'),
  }),
  run: async ({ id, to, isPreview, mayReplace }, session) => {
    const { platform } = await openAgent(session);
    const { attachments } = platform;
    const options = { signal: session.io.signal };
    const path = resolve(to ?? nameOf(await attachments.get(id, options), isPreview));
    if (existsSync(path) && !mayReplace) {
      throw new UsageError(
        `${JSON.stringify(path)} is there already.`,
        'Name another one with --to, or add --replace.',
      );
    }
    const content = await (isPreview ? attachments.preview(id, options) : attachments.download(id, options));
    const bar = openProgressBar(session.io, path);
    let sizeBytes = 0;
    try {
      await content.saveTo(path, (saved) => {
        sizeBytes = saved;
        bar.tell(saved, content.sizeBytes ?? saved);
      });
    } finally {
      bar.remove();
    }
    return {
      kind: 'data',
      data: { id, path, media_type: content.mediaType, size_bytes: sizeBytes },
      show: () => `Saved ${showSize(sizeBytes)} to ${path}\n`,
    };
  },
});

// A name of somebody else chooses neither the folder nor a hidden file, and no
// character that a terminal would obey.
function nameOf({ id, filename }: Attachment, isPreview: boolean): string {
  if (filename === undefined || isPreview) return `${id}.jpg`;
  const name = basename(unfenced(filename).replaceAll('\\', '/')).replaceAll(/\p{Cc}|\p{Cf}/gu, '');
  return name === '' || name.startsWith('.') ? `file${name}` : name;
}
