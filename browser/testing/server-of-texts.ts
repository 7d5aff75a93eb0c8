import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves each HTML text at its path, and a 404 page at all other paths. */
export async function serveTexts(texts: Readonly<Record<string, string>>) {
  const server = createServer(({ url = '/' }, response) => {
    const text = texts[url];
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(text ?? makePage('<h1>Not found</h1>'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Makes a page without faults that contains these elements. */
export function makePage(main: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>:root { color-scheme: light dark } body { background: light-dark(#fff, #111) } a { color: light-dark(#00f, #9bf) }</style>${head}</head><body><main>${main}</main></body></html>`;
}
