import { sitePath } from '../stage/staged.ts';

/** Corrects accessibility faults in the HTML of Starlight and its plugins; the browser tests inspect the result. */
export function repairPage(path: string, html: string): string {
  return (
    html
      // Programs that read the HTML must find the link to the Markdown before the sidebar.
      .replace(/<header class="header[^>]*>/, (tag) => `${tag}${printHint(path)}`)
      // With `aria-label`, screen readers would not read the shortcut in the button.
      .replace(/(<button data-open-modal[^>]*?) aria-label="Search"/, '$1 title="Search"')
      // Options and requirement ids stay on one line; long setting names may break after an underscore.
      .replaceAll(/(<code[^>]*>)([^<]*)(?=<\/code>)/g, (_, tag: string, code: string) => tag + markBreaks(code))
      // The copy button must copy the commands of a terminal session without their output.
      .replaceAll(/ data-code="\$ ([^"\u007f]*)[^"]*"/g, ' data-code="$1"')
      // Scrollable elements (code that does not wrap, and wide tables) must be reachable by keyboard.
      .replaceAll(/(<pre (?![^>]*class="wrap")[^>]*data-language[^>]*><code)(?=>)/g, '$1 tabindex="0"')
      .replaceAll(/<table(?=[ >])/g, '<table tabindex="0"')
      // An empty header cell is not a header, so it becomes an ordinary cell.
      .replaceAll(/<th(?=[ >])([^>]*)><\/th>/g, '<td$1></td>')
  );
}

/** Only for programs: browsers do not display the hint, and screen readers and the search ignore it. */
function printHint(path: string): string {
  const page = path === '.' ? '' : ` This page as Markdown is ${sitePath}/${path}.md.`;
  return `<p class="sr-only" aria-hidden="true" data-pagefind-ignore>For language models: the list of all pages is ${sitePath}/llms.txt.${page}</p>`;
}

function markBreaks(code: string): string {
  return code
    .replaceAll(/(?<=^|[\s([|])-[\w-]+|\bAP-[A-Z]+-\d+\b/g, '<span class="unbroken">$&</span>')
    .replaceAll(/\b[A-Z]+(?:_[A-Z]+){2,}\b/g, (name) => name.replaceAll('_', '_<wbr>'));
}
