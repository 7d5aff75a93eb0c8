/**
 * Repairs what screen readers and keyboards meet in the HTML of Starlight and its plugins; the browser tests inspect the
 * result.
 */
export function repairPage(path: string, html: string): string {
  const titled = path === 'reference/http' ? html.replace(/(<h1[^>]*>)Overview</, '$1HTTP API<') : html;
  return (
    titled
      // The label hides the shortcut that the button shows.
      .replace(/(<button data-open-modal[^>]*?) aria-label="Search"/, '$1 title="Search"')
      // Options and ids of requirements stay on a line; long names of settings break after an underscore.
      .replaceAll(/(<code[^>]*>)([^<]*)(?=<\/code>)/g, (_, tag: string, code: string) => tag + markBreaks(code))
      // The button copies the command of a session, without its output.
      .replaceAll(/ data-code="\$ ([^"\u007f]*)[^"]*"/g, ' data-code="$1"')
      // What scrolls must be reached by a keyboard: code that does not wrap, and wide tables.
      .replaceAll(/(<pre (?![^>]*class="wrap")[^>]*data-language[^>]*><code)(?=>)/g, '$1 tabindex="0"')
      .replaceAll(/<table(?=[ >])/g, '<table tabindex="0"')
      // A header cell without text names no column.
      .replaceAll(/<th(?=[ >])([^>]*)><\/th>/g, '<td$1></td>')
      // These headings stand two levels below their parents.
      .replaceAll(/<h5( class="sl-openapi-examples-heading[^>]*)>(.*?)<\/h5>/gs, '<p$1>$2</p>')
  );
}

function markBreaks(code: string): string {
  return code
    .replaceAll(/(?<=^|[\s([|])-[\w-]+|\bAP-[A-Z]+-\d+\b/g, '<span class="unbroken">$&</span>')
    .replaceAll(/\b[A-Z]+(?:_[A-Z]+){2,}\b/g, (name) => name.replaceAll('_', '_<wbr>'));
}
