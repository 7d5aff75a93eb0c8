import { once } from 'node:events';
import type { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

/** Serves one client on stdin and stdout until it closes stdin, or the signal aborts. */
export async function serveStdin(make: () => McpServer, signal: AbortSignal, onReady: () => void): Promise<void> {
  const closed = Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close')]);
  const aborted = signal.aborted ? undefined : once(signal, 'abort');
  const handle = serveStdio(make);
  onReady();
  if (aborted !== undefined) await Promise.race([closed, aborted]);
  await handle.close();
}
