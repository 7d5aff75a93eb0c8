import { defineEcConfig } from '@astrojs/starlight/expressive-code';

// Blocks of code, which wrap: a narrow screen hides nothing, and no block needs a place in the order of Tab.
export default defineEcConfig({
  defaultProps: { wrap: true, frame: 'code' },
  removeUnusedThemes: false,
  styleOverrides: {
    borderRadius: 'var(--radius-m)',
    borderColor: 'var(--line)',
    codeFontFamily: 'var(--font-code)',
    codeFontSize: '0.85rem',
  },
});
