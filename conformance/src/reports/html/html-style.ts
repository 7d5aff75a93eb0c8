import { designTokens } from '../design-tokens.ts';

export const reportStyleSheet = `${designTokens}
@layer report {
  *, ::before, ::after { box-sizing: border-box; }
  html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: var(--space-4); }
  body { margin: 0; background: var(--paper); color: var(--ink); font: var(--size-m) / var(--leading) var(--font-text); overflow-wrap: anywhere; }
  header, main, footer { max-width: 68rem; margin-inline: auto; padding-inline: clamp(1rem, 4vw, 2.5rem); }
  h1, h2, h3, h4, p, dl, dd, ul, pre, fieldset { margin: 0; }
  h1, h2, h3 { font-weight: 650; line-height: var(--leading-tight); letter-spacing: var(--tracking-tight); }
  code, pre { font: .875em / 1.6 var(--font-code); }
  a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .18em; }
  a:hover { text-decoration-thickness: 2px; }
  small { color: var(--soft); font-size: var(--size-xs); font-weight: 400; letter-spacing: 0; }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: var(--radius-s); }

  .passed { --tone: var(--passed); } .failed { --tone: var(--failed); } .stale { --tone: var(--failed); }
  .error { --tone: var(--error); } .inconclusive, .untested, .unjudged { --tone: var(--untested); } .expected { --tone: var(--expected); }
  .beyond { --tone: var(--soft); } .same { --tone: var(--soft); } .differs { --tone: var(--untested); }
  rect { fill: var(--tone); }

  /* The verdict. */
  header { padding-block: clamp(.75rem, 2vw, 1.5rem) 0; }
  .kicker { color: var(--soft); font-size: var(--size-xs); font-weight: 600; letter-spacing: .08em; text-transform: uppercase; }
  .verdict { display: grid; grid-template-columns: auto minmax(0, 1fr); column-gap: var(--space-4); align-items: center; margin-top: var(--space-2); padding: clamp(1rem, 2vw, 1.25rem); border: 1px solid color-mix(in oklab, var(--tone) 28%, var(--line)); border-radius: var(--radius-l); background: linear-gradient(color-mix(in oklab, var(--tone) 7%, var(--sheet)), var(--sheet) 9rem); box-shadow: var(--shadow-raised); }
  .sign { grid-row: 1 / span 2; width: clamp(2.5rem, 5vw, 3rem); fill: none; stroke: var(--sheet); stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
  .sign circle { fill: var(--tone); stroke: none; }
  h1 { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 var(--space-4); color: var(--tone); font-size: var(--size-2xl); line-height: 1.1; }
  h1 code { color: var(--ink); font-size: var(--size-l); font-weight: 400; letter-spacing: 0; }
  .verdict h1, .ending { grid-column: 2; }
  .ending { color: var(--soft); font-size: var(--size-l); line-height: 1.4; }
  .bar, .tiles { grid-column: 1 / -1; }
  .bar, .mini { display: block; width: 100%; border-radius: 99px; background: var(--line); }
  .bar { height: .6rem; margin-top: var(--space-3); }
  .tiles { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-5); margin-top: var(--space-2); }
  .tiles div { display: flex; flex-direction: column-reverse; }
  .tiles dt { display: flex; align-items: center; gap: .4em; color: var(--soft); font-size: var(--size-s); line-height: 1.4; }
  .tiles dt::before { width: .6em; height: .6em; border-radius: 50%; background: var(--tone); content: ""; }
  .tiles dd { font-size: var(--size-xl); font-weight: 650; line-height: 1.1; font-variant-numeric: tabular-nums; letter-spacing: var(--tracking-tight); }
  .facts { display: flex; flex-wrap: wrap; gap: var(--space-3) var(--space-6); margin-top: var(--space-5); font-size: var(--size-s); line-height: 1.4; }
  dt { color: var(--soft); font-size: var(--size-xs); font-weight: 600; }
  .tiles dt { font-weight: 400; }
  nav { display: flex; flex-wrap: wrap; gap: var(--space-2); margin-top: var(--space-3); }
  nav a { padding: var(--space-1) var(--space-3); border: 1px solid var(--line); border-radius: 99px; background: var(--sheet); color: var(--ink); font-size: var(--size-s); text-decoration: none; }
  nav a:hover { border-color: var(--link); color: var(--link); }

  h2 { margin: var(--space-7) 0 var(--space-3); font-size: var(--size-xl); }
  #failed h2 { margin-top: var(--space-4); }
  h2 small { font-size: var(--size-s); }
  article ~ ul { margin-top: var(--space-4); padding-inline-start: 1.2em; color: var(--soft); font-size: var(--size-s); }
  section > p { max-width: var(--measure); color: var(--soft); }

  /* The areas. */
  .areas { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 9.25rem), 1fr)); gap: var(--space-3); padding: 0; list-style: none; }
  .areas a { display: grid; height: 100%; padding: var(--space-3); border: 1px solid var(--line); border-radius: var(--radius-m); background: var(--sheet); color: var(--ink); line-height: 1.4; text-decoration: none; }
  .areas a:hover { border-color: var(--link); }
  .areas b { font-size: var(--size-s); font-weight: 600; }
  .areas .bad { border-color: color-mix(in oklab, var(--failed) 45%, var(--line)); }
  .areas .bad small { color: var(--failed); }
  .mini { height: .3rem; margin-top: var(--space-2); align-self: end; }

  /* The failures. */
  article { margin-top: var(--space-3); padding: clamp(.75rem, 2vw, 1rem) clamp(1rem, 3vw, 1.5rem); border: 1px solid var(--line); border-inline-start: 4px solid var(--tone); border-radius: var(--radius-m); background: var(--sheet); box-shadow: var(--shadow); }
  article:target { border-color: var(--tone); }
  .id { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-2); color: var(--soft); font: var(--size-xs) / 1.6 var(--font-code); }
  .pill { padding: .05em .6em; border: 1px solid color-mix(in oklab, var(--tone) 45%, transparent); border-radius: 99px; background: color-mix(in oklab, var(--tone) 8%, transparent); color: var(--tone); font: 600 var(--size-xs) / 1.6 var(--font-text); white-space: nowrap; }
  article h3 { font-size: var(--size-m); line-height: 1.35; letter-spacing: 0; }
  article dl { display: grid; gap: var(--space-1); margin-top: var(--space-1); }
  article dl > div { display: grid; grid-template-columns: 7.5rem minmax(0, 1fr); gap: 0 var(--space-4); align-items: baseline; }
  .seen dd { color: var(--tone); font-weight: 600; white-space: pre-wrap; }
  .broken { padding: 0; list-style: none; }
  .broken li + li { margin-top: var(--space-1); }
  .broken a, td code, td a { font: var(--size-xs) / 1.6 var(--font-code); }
  .exchange { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: var(--space-3); margin-top: var(--space-4); }
  .exchange > div { min-width: 0; }
  .exchange + .exchange { padding-top: var(--space-4); border-top: 1px dashed var(--line); }
  .again { grid-column: 1 / -1; }
  h4 { margin-bottom: var(--space-1); color: var(--soft); font-size: var(--size-xs); font-weight: 600; line-height: 1.6; }
  pre { max-height: 24rem; padding: var(--space-3) var(--space-4); overflow: auto; border: 1px solid var(--line); border-radius: var(--radius-s); background: var(--code); font-size: var(--size-xs); white-space: pre-wrap; }
  pre i { color: var(--soft); font-style: normal; } pre b { font-weight: 650; }
  pre .ok { color: var(--passed); } pre .no { color: var(--failed); }
  .curl::before { color: var(--soft); content: "$ "; user-select: none; }
  details > summary { padding-block: var(--space-1); cursor: pointer; }
  article details { margin-top: var(--space-1); color: var(--soft); font-size: var(--size-s); }
  article details[open] { color: var(--ink); }
  .ids { display: flex; flex-wrap: wrap; gap: 0 var(--space-4); padding: 0; list-style: none; }

  /* The requirements, of which the chosen verdict is shown. */
  fieldset { display: flex; flex-wrap: wrap; gap: var(--space-2); padding: 0; border: 0; }
  legend { float: left; padding: var(--space-1) var(--space-2) var(--space-1) 0; color: var(--soft); font-size: var(--size-s); }
  label { display: flex; align-items: center; gap: var(--space-2); padding: var(--space-1) var(--space-3); border: 1px solid var(--line); border-radius: 99px; background: var(--sheet); font-size: var(--size-s); cursor: pointer; }
  label:has(:checked) { border-color: var(--accent); background: var(--accent-wash); }
  input { accent-color: var(--accent); margin: 0; }
  #requirements details { border-bottom: 1px solid var(--line); }
  #requirements details:first-of-type { margin-top: var(--space-4); }
  #requirements summary { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 var(--space-3); padding-block: var(--space-3); list-style: none; }
  #requirements summary::-webkit-details-marker { display: none; }
  #requirements summary::before { width: .5rem; height: .5rem; margin-inline: .15rem .1rem; border: solid var(--soft); border-width: 0 2px 2px 0; content: ""; rotate: -45deg; translate: 0 -.1rem; }
  #requirements [open] > summary::before { rotate: 45deg; translate: 0 -.2rem; }
  summary:hover b { color: var(--link); }
  summary code { color: var(--soft); font-size: var(--size-xs); }
  summary small { margin-inline-start: auto; }
  summary strong { margin-inline-start: var(--space-2); color: var(--failed); }
  ${['passed', 'failed', 'error', 'inconclusive', 'untested', 'unjudged', 'beyond'].map(printFilter).join('\n  ')}

  table { width: 100%; border-collapse: collapse; font-size: var(--size-s); line-height: 1.5; }
  th { color: var(--soft); font-size: var(--size-xs); font-weight: 600; text-align: start; }
  th, td { padding: var(--space-2) var(--space-4) var(--space-2) 0; vertical-align: baseline; }
  td { border-top: 1px solid var(--line); }
  th:last-child, td:last-child { padding-inline-end: 0; }
  tr:target td { background: var(--accent-wash); }
  td small { display: block; }
  #requirements td:first-child { width: 10.5rem; } #requirements td:last-child { width: 8.5rem; text-align: end; }
  #requirements .beyond td { color: var(--soft); }
  #requirements table { scroll-margin-top: 4rem; }
  #behaviour-table { margin-top: var(--space-4); } #behaviour-table th:last-child { text-align: end; }
  #behaviour-table td:nth-child(2) { width: 42%; } #behaviour-table td:last-child { width: 8rem; text-align: end; }
  #stale-table { margin-top: var(--space-4); }
  #cost-table { max-width: 40rem; } #cost-table td:not(:first-child), #cost-table th { text-align: end; font-variant-numeric: tabular-nums; }
  footer { padding-block: var(--space-6) var(--space-8); color: var(--soft); font-size: var(--size-s); }

  @media (max-width: 40rem) {
    h1 code { font-size: var(--size-s); }
    .tiles { gap: var(--space-3) var(--space-5); }
    article dl > div { grid-template-columns: minmax(0, 1fr); }
    #requirements tr, #behaviour-table tr, #stale-table tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: var(--space-1) var(--space-3); padding-block: var(--space-2); border-top: 1px solid var(--line); }
    #requirements td, #behaviour-table td, #stale-table td { width: auto; padding: 0; border: 0; }
    #requirements td:nth-child(2), #behaviour-table td:nth-child(2), #stale-table td:nth-child(2), #stale-table td:nth-child(4) { grid-column: 1 / -1; grid-row: 2; width: auto; }
    #stale-table td:nth-child(4) { grid-row: 3; }
    #requirements td:last-child, #behaviour-table td:last-child { width: auto; }
    #behaviour-table thead, #stale-table thead { position: absolute; clip-path: inset(50%); }
  }
  @media print {
    :root { color-scheme: light; }
    body { background: #fff; font-size: 10pt; }
    nav, fieldset { display: none; }
    pre { max-height: none; }
    article, tr, .areas li { break-inside: avoid; }
    h2, summary { break-after: avoid; }
    .verdict, article { box-shadow: none; }
    details::details-content { display: block; content-visibility: visible; block-size: auto; }
  }
}
`;

/** The rules that hide the requirements with other verdicts, and open the areas of those with the chosen one. */
function printFilter(tone: string): string {
  const chosen = `#requirements:has(#show-${tone}:checked)`;
  return `${chosen} tr:not(.${tone}), ${chosen} details:not(:has(tr.${tone})) { display: none; } ${chosen} details::details-content { display: block; content-visibility: visible; block-size: auto; }`;
}
