import { designTokens } from './design-tokens.ts';

/** The style of the page, for light and dark schemes, paper and small screens. */
export const style = `
${designTokens}* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
header, main, footer { max-width: 68rem; margin: 0 auto; padding: 0 1.5rem; }
header { padding-top: 3rem; }
code, pre { font: .875em/1.5 ui-monospace, "Cascadia Code", "DejaVu Sans Mono", Menlo, Consolas, monospace; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .15em; }
small { color: var(--soft); font-size: .875rem; font-weight: 400; }
.kicker { margin: 0; color: var(--soft); font-size: .8125rem; letter-spacing: .08em; text-transform: uppercase; }
h1 { margin: .4rem 0 0; display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1rem; font-size: clamp(1.9rem, 5vw, 2.75rem); line-height: 1.15; letter-spacing: -.02em; }
h1 code { color: var(--soft); font-size: clamp(.9rem, 2.4vw, 1.125rem); font-weight: 400; letter-spacing: 0; overflow-wrap: anywhere; }
h1.passed .stamp { color: var(--passed); } h1.failed .stamp { color: var(--failed); }
h1.error .stamp { color: var(--error); } h1.untested .stamp { color: var(--untested); }
.ending { margin: .5rem 0 1.5rem; font-size: 1.125rem; }
h2 { margin: 3rem 0 .75rem; font-size: 1.375rem; letter-spacing: -.01em; }
h3 { margin: 0; font-size: 1.0625rem; line-height: 1.4; }
h4 { margin: 0 0 .35rem; color: var(--soft); font-size: .75rem; font-weight: 600; letter-spacing: .06em; text-transform: uppercase; }
.bar { display: flex; gap: 3px; height: 12px; }
.bar i { min-width: 4px; border-radius: 3px; }
.bar .passed, .dots .passed { background: var(--passed); } .bar .failed, .dots .failed { background: var(--failed); }
.bar .error, .dots .error { background: var(--error); } .bar .untested, .dots .untested { background: var(--untested); }
.bar .expected { background: var(--expected); } .dots .beyond { background: var(--line); }
.tiles { display: flex; flex-wrap: wrap; gap: .75rem 2.25rem; margin: 1.25rem 0; }
.tiles div { display: flex; flex-direction: column-reverse; }
.tiles dt { color: var(--soft); font-size: .875rem; }
.tiles dd { margin: 0; font-size: 1.75rem; font-weight: 600; line-height: 1.1; font-variant-numeric: tabular-nums; }
.tiles .passed dd { color: var(--passed); } .tiles .failed dd { color: var(--failed); } .tiles .error dd { color: var(--error); }
.tiles .untested dd { color: var(--untested); } .tiles .expected dd { color: var(--expected); } .tiles .beyond dd { color: var(--soft); }
.facts { color: var(--soft); font-size: .9375rem; max-width: 60rem; }
article { margin: 1rem 0; padding: 1.1rem 1.25rem; background: var(--sheet); border: 1px solid var(--line); border-left: 4px solid var(--beyond); border-radius: 8px; }
article.failed { border-left-color: var(--failed); } article.error { border-left-color: var(--error); } article.untested { border-left-color: var(--untested); }
.id { margin: .15rem 0 0; color: var(--soft); font: .8125rem/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.reason { margin: .7rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
article.failed > .reason { color: var(--failed); font-weight: 600; } article.error > .reason { color: var(--error); }
article.untested > .reason { margin: 0; }
.broken { margin: .7rem 0 1rem; padding: 0; list-style: none; font-size: .9375rem; }
.broken li { padding: .15rem 0; }
.broken a, td code { white-space: nowrap; font: .8125rem/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
pre { margin: 0; padding: .7rem .85rem; background: var(--code); border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 24rem; overflow: auto; }
pre.curl { border-color: color-mix(in srgb, var(--link) 35%, var(--line)); }
pre.curl::before { content: "$ "; color: var(--soft); user-select: none; }
.exchange { display: grid; gap: .75rem; margin-top: .75rem; }
.exchange + .exchange { padding-top: .75rem; border-top: 1px dashed var(--line); }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: .75rem; }
.sides > div { min-width: 0; }
b.ok { color: var(--passed); } b.no { color: var(--failed); }
details { margin: .5rem 0; }
summary { cursor: pointer; padding: .35rem 0; color: var(--soft); }
#requirements details { margin: 0; border-bottom: 1px solid var(--line); }
#requirements summary { display: flex; align-items: center; gap: 1rem; padding: .6rem 0; color: var(--ink); }
#requirements summary::before { content: "▸"; color: var(--soft); transition: rotate .15s; }
#requirements details[open] > summary::before { rotate: 90deg; }
#requirements summary::-webkit-details-marker { display: none; }
#requirements summary b { min-width: 8rem; }
#requirements summary small { margin-left: auto; text-align: right; }
.dots { display: flex; flex-wrap: wrap; gap: 2px; flex: 0 1 32rem; }
.dots i { width: 8px; height: 8px; border-radius: 2px; }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th { text-align: left; color: var(--soft); font-weight: 500; font-size: .8125rem; }
th, td { padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
tr:target { background: color-mix(in srgb, var(--link) 12%, transparent); }
tr:last-child td { border-bottom: 0; }
#observations td:first-child { width: 1.5rem; font-weight: 700; color: var(--soft); } #observations .differs td:first-child { color: var(--untested); }
#observations td:nth-child(2) { width: 45%; } #observations td:nth-child(3) { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .8125rem; }
#requirements td:nth-child(1) { width: 10.5rem; } #requirements td:nth-child(2) { width: 7.5rem; }
#cost td:not(:first-child) { font-variant-numeric: tabular-nums; }
.pill { display: inline-block; padding: 0 .55em; border: 1px solid currentColor; border-radius: 1em; font-size: .75rem; line-height: 1.6; white-space: nowrap; color: var(--soft); }
.pill.passed { color: var(--passed); } .pill.failed { color: var(--failed); } .pill.error { color: var(--error); } .pill.untested { color: var(--untested); }
footer { padding-bottom: 4rem; } footer p { color: var(--soft); font-size: .875rem; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media (max-width: 40rem) {
  header, main, footer { padding-left: 1rem; padding-right: 1rem; } header { padding-top: 1.75rem; }
  .tiles { gap: .75rem 1.5rem; } article { padding: .9rem; } .dots { display: none; }
  #requirements table, #requirements tbody, #requirements tr, #requirements td, #observations table, #observations tbody, #observations tr, #observations td { display: block; width: auto !important; border: 0; padding: .1rem 0; }
  #requirements tr, #observations tr { padding: .5rem 0; border-bottom: 1px solid var(--line); } #observations thead { display: none; }
}
@media print { body { background: #fff; color: #000; } pre { max-height: none; } article { break-inside: avoid; } }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
`;
