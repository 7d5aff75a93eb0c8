// Printed by "npm run generate" from server/src/web/assets/tokens.css.

/** The design tokens of the project, as CSS. */
export const designTokens = `/*
 * The design tokens of the project. The public pages, the conformance report and the documentation site use these names, and no
 * colours of their own.
 */
@layer tokens {
  :root {
    color-scheme: light dark;

    /* Surfaces, from the page up to what lies on it, and what is cut into it. */
    --paper: light-dark(#faf9f6, #14161a);
    --sheet: light-dark(#ffffff, #1c1f24);
    --code: light-dark(#f2f0eb, #101216);
    --line: light-dark(#e5e1d9, #2e323a);
    --line-strong: light-dark(#8a867d, #737985);

    /* Text, at least 4.5:1 on paper, sheet and code. */
    --ink: light-dark(#1b1d21, #ebe9e4);
    --soft: light-dark(#5a5e67, #a5a9b2);

    /* Links, buttons and the ring of the keyboard focus. */
    --link: light-dark(#1f4fc4, #93b4ff);
    --accent: light-dark(#1f4fc4, #93b4ff);
    --on-accent: light-dark(#ffffff, #10141f);
    --accent-wash: light-dark(#eaeffc, #1d2638);

    /* Remarks: a note, and something that is not real. */
    --note: light-dark(#7a5200, #e8bd5d);
    --note-wash: light-dark(#fbf1da, #2b2415);

    /* Verdicts of the conformance suite. */
    --passed: light-dark(#1a7a48, #4cc38a);
    --failed: light-dark(#bd2b2b, #ff7b72);
    --error: light-dark(#8539ad, #cf9bf0);
    --untested: light-dark(#8a5c00, #e3b341);
    --expected: light-dark(#9a4f17, #f0a868);
    --beyond: light-dark(#a6a9af, #565b64);

    --font-text: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif;
    --font-code:
      ui-monospace, "SF Mono", "Cascadia Code", "Noto Sans Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;

    --size-xs: 0.8125rem;
    --size-s: 0.9375rem;
    --size-m: 1rem;
    --size-l: 1.125rem;
    --size-xl: clamp(1.25rem, 1.15rem + 0.5vw, 1.5rem);
    --size-2xl: clamp(1.6rem, 1.35rem + 1.25vw, 2.25rem);
    --size-3xl: clamp(2.1rem, 1.6rem + 2.5vw, 3.4rem);
    --leading: 1.6;
    --leading-tight: 1.2;
    --tracking-tight: -0.02em;
    --measure: 42rem;

    --space-1: 0.25rem;
    --space-2: 0.5rem;
    --space-3: 0.75rem;
    --space-4: 1rem;
    --space-5: 1.5rem;
    --space-6: 2rem;
    --space-7: 3rem;
    --space-8: 4.5rem;

    --radius-s: 0.375rem;
    --radius-m: 0.75rem;
    --radius-l: 1.25rem;
    --shadow: light-dark(0 1px 2px rgb(40 34 20 / 6%), 0 1px 2px rgb(0 0 0 / 40%));
    --shadow-raised: light-dark(0 6px 24px rgb(40 34 20 / 10%), 0 6px 24px rgb(0 0 0 / 50%));
  }
}
`;
