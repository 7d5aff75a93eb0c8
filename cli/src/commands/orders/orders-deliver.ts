import type { Delivery } from '@agent-platform/sdk';
import { Argument, Option } from 'commander';
import { UsageError } from '../../errors/failure.ts';
import { chooseSource, readText } from '../../io/text-source.ts';
import type { Typed } from '../../options/parsed-arguments.ts';
import { declareFileOptions } from '../posts/post-options.ts';
import { orderAction } from './order-action.ts';
import { readOrderFiles } from './order-files.ts';

/** Delivers the result of an order. */
export const ordersDeliver = orderAction<Delivery & Readonly<Record<string, unknown>>>({
  action: 'deliver',
  summary: 'deliver the result: a text, files, or both; for the contractor',
  example: '"Here is the thumbnail." --attach thumbnail.jpg',
  arguments: [new Argument('[text]', 'what the result says')],
  options: [new Option('--text-file <file>', 'the text from a file, or from stdin (-)'), ...declareFileOptions()],
  files: readOrderFiles,
  parse: (typed) => {
    const source = readSource(typed);
    const { paths, ids } = readOrderFiles(typed);
    if (source === undefined && paths.length + ids.length === 0) {
      throw new UsageError(
        'There is nothing to deliver.',
        'Give a text, --text-file FILE, --attach FILE or --attachment ID.',
      );
    }
    return async ({ io }) => (source === undefined ? {} : { result_text: await readText(source, io) });
  },
  attach: (delivery, fileIds) =>
    fileIds.length === 0 ? delivery : { ...delivery, result_attachment_ids: [...fileIds] },
  send: (platform, order, delivery, options) => platform.orders.deliver(order, delivery, options),
});

function readSource(typed: Typed) {
  const [text] = typed.rest(1);
  const file = typed.text('text-file');
  if (text !== undefined && file !== undefined) {
    throw new UsageError('The text is given twice.', 'Give it as an argument or with --text-file FILE.');
  }
  return chooseSource(text, file);
}
