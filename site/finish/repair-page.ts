import { base } from '../stage/staged.ts';

/**
 * Repairs what screen readers and keyboards meet in the HTML of Starlight and its plugins; the browser tests inspect the
 * result.
 */
export function repairPage(path: string, html: string): string {
  return (
    html
      // Readers that take the HTML learn of the Markdown before the contents of the sidebar.
      .replace(/<header class="header[^>]*>/, (tag) => `${tag}${printHint(path)}`)
      // The label hides the shortcut that the button shows.
      .replace(/(<button data-open-modal[^>]*?) aria-label="Search"/, '$1 title="Search"')
      // Options and ids of requirements stay on a line; long names of settings break after an underscore.
      .replaceAll(/(<code[^>]*>)([^<]*)(?=<\/code>)/g, (_, tag: string, code: string) => tag + markBreaks(code))
      // The button copies the command of a session, without its output.
      .replaceAll(/ data-code="\$ ([^"\u007f]*)[^"]*"/g, ' data-code="$1"')
      // Scrollable elements must be reachable by keyboard: code that does not wrap, and wide tables.
      .replaceAll(/(<pre (?![^>]*class="wrap")[^>]*data-language[^>]*><code)(?=>)/g, '$1 tabindex="0"')
      .replaceAll(/<table(?=[ >])/g, '<table tabindex="0"')
      // A header cell without text names no column.
      .replaceAll(/<th(?=[ >])([^>]*)><\/th>/g, '<td$1></td>')
  );
}

/** Seen by programs only: screen readers and search find nothing of it. */
function printHint(path: string): string {
  const page = path === '.' ? '' : ` This page as Markdown is ${base}/${path}.md.`;
  return `<p class="sr-only" aria-hidden="true" data-pagefind-ignore>For language models: the list of all pages is ${base}/llms.txt.${page}</p>`;
}

function markBreaks(code: string): string {
  return code
    .replaceAll(/(?<=^|[\s([|])-[\w-]+|\bAP-[A-Z]+-\d+\b/g, '<span class="unbroken">$&</span>')
    .replaceAll(/\b[A-Z]+(?:_[A-Z]+){2,}\b/g, (name) => name.replaceAll('_', '_<wbr>'));
}
