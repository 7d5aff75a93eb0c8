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
      // Wide tables scroll, so that a keyboard must reach them.
      .replaceAll(/<table(?=[ >])/g, '<table tabindex="0"')
      // A header cell without text names no column.
      .replaceAll(/<th(?=[ >])([^>]*)><\/th>/g, '<td$1></td>')
      // These headings stand two levels below their parents.
      .replaceAll(/<h5( class="sl-openapi-examples-heading[^>]*)>(.*?)<\/h5>/gs, '<p$1>$2</p>')
  );
}
