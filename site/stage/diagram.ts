import { renderMermaidSVG } from 'beautiful-mermaid';

let drawn = 0;

/**
 * Returns a Mermaid diagram as SVG. The site's stylesheet sets the colours for light and dark mode; the renderer's
 * style is removed, because it would load a remote font.
 */
export function drawDiagram(text: string): string {
  drawn += 1;
  const prefix = `d${drawn}-`;
  const svg = renderMermaidSVG(text)
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/ style="[^"]*"/, ' aria-hidden="true"')
    .replace(/^<svg ([^>]*) width="(\d+)[^"]*"/, '<svg $1 width="$2" style="--natural-width: $2px"')
    .replaceAll(/ id="([^"]+)"/g, ` id="${prefix}$1"`)
    .replaceAll(/url\(#([^)]+)\)/g, `url(#${prefix}$1)`)
    .replaceAll(/<!--.*?-->/gs, '')
    .replaceAll(/\s*\n\s*/g, '');
  // Focusable, so that the keyboard can scroll a diagram that is wider than the page.
  return `<figure class="diagram" tabindex="0" role="img" aria-label="${describe(text)}">${svg}</figure>`;
}

/** Returns the labels in document order, for screen readers. */
function describe(text: string): string {
  const labels = [...text.matchAll(/\[\(?([^[\]()]+)\)?\]|: ?([^\n]+)$|participant \w+ as (.+)$/gm)].map(
    ([, box, edge, participant]) => (box ?? edge ?? participant ?? '').trim(),
  );
  const kinds: Record<string, string> = { sequenceDiagram: 'Sequence', 'stateDiagram-v2': 'States' };
  const kind = kinds[text.trim().split(/\s/)[0] ?? ''] ?? 'Diagram';
  return `${kind}: ${[...new Set(labels)].join('; ')}`.replaceAll(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
