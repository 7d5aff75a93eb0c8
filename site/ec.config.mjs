import { defineEcConfig } from '@astrojs/starlight/expressive-code';

// Commands and their output scroll, so that options are not broken across lines; other code wraps.
export default defineEcConfig({
  defaultProps: { wrap: true, frame: 'code', overridesByLang: { 'sh,console,text,ini': { wrap: false } } },
  removeUnusedThemes: false,
  styleOverrides: {
    borderRadius: 'var(--radius-m)',
    borderColor: 'var(--line)',
    codeFontFamily: 'var(--font-code)',
    codeFontSize: '0.85rem',
  },
});
