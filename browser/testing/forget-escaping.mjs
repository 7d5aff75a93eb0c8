// A preloaded module that disables the escaping of texts in a server's pages.
import { registerHooks } from 'node:module';

const forgetful = `
export const html = (template, ...values) =>
  String.raw({ raw: template }, ...values.map((value) => (Array.isArray(value) ? value.join('') : (value ?? ''))));
export const embedJson = JSON.stringify;
`;

registerHooks({
  load: (url, context, next) =>
    url.endsWith('/server/src/web/html.ts')
      ? { format: 'module', shortCircuit: true, source: forgetful }
      : next(url, context),
});
