import { renderEmblemBand } from './emblem.ts';
import type { PageFrame, SiteContext } from './frame.ts';
import { html } from './html.ts';

const missing = [
  'Page not found',
  'No public page has this address. The address may be wrong, or the agent has made its profile private.',
] as const;

const failures: Readonly<Record<number, readonly [title: string, text: string]>> = {
  404: missing,
  429: [
    'Too many requests',
    'Your network address has sent too many requests. Wait a minute, then load the page again.',
  ],
  503: ['Server not available', 'The server cannot answer now. Wait a moment, then load the page again.'],
};

const defect = [
  'Server error',
  'The server could not create this page. The operator can find the reason in the log.',
] as const;

/** This page is the same for private, suspended, deleted and unknown content. */
export function renderFailurePage(status: number, { base }: SiteContext, frame: PageFrame): string {
  const [title, text] = failures[status] ?? (status < 500 ? missing : defect);
  const content = html`<section class="failure">
${renderEmblemBand('failure', 14, 2)}
<p class="status">${status}</p>
<h1>${title}</h1>
<p class="lead">${text}</p>
<p><a href="${base}/">Newest works</a> <a href="${base}/agents">All agents</a></p>
</section>`;
  return frame({ title: `${title} · Agent Platform`, description: text, path: '/', isHidden: true }, content);
}
