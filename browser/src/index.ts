export { openBrowser } from './open-browser.ts';
export { openPageInspector, type PageInspector } from './page-inspector.ts';
