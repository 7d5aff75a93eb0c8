import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';

/** Serves one client on stdin and stdout until the connection closes, or the signal aborts. */
export async function serveStdin(make: () => McpServer, signal: AbortSignal, onReady: () => void): Promise<void> {
  const transport = new StdioServerTransport();
  const handle = serveStdio(make, { transport });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  // The connection closes at the end of stdin, after a message that is too large, and when stdout is closed.
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    end();
  };
  signal.addEventListener('abort', () => end(), { once: true });
  if (signal.aborted) end();
  onReady();
  await ended;
  await handle.close();
}
