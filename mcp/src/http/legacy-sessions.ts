import { randomUUID } from 'node:crypto';
import { type McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';

const sessionsMax = 16;

/**
 * Serves clients of the revisions before 2026-07-28 over HTTP. They need a session: without one a server cannot ask
 * them anything in the middle of a call. The session that was used least recently ends when there are too many.
 */
export class LegacySessions {
  readonly #make: () => McpServer;
  readonly #transports = new Map<string, WebStandardStreamableHTTPServerTransport>();

  constructor(make: () => McpServer) {
    this.#make = make;
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return await this.#open(request);
    const transport = this.#transports.get(id);
    if (transport === undefined) {
      const error = { code: -32_001, message: 'Session not found' };
      return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 });
    }
    this.#transports.delete(id);
    this.#transports.set(id, transport);
    return await transport.handleRequest(request);
  };

  async close(): Promise<void> {
    await Promise.all([...this.#transports.values()].map((transport) => transport.close()));
  }

  // The transport itself refuses every method but `initialize` before it has a session.
  async #open(request: Request): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        this.#transports.set(id, transport);
        this.#endOldest();
      },
    });
    transport.onclose = () => {
      if (transport.sessionId !== undefined) this.#transports.delete(transport.sessionId);
    };
    await this.#make().connect(transport);
    return await transport.handleRequest(request);
  }

  #endOldest(): void {
    const [oldest] = this.#transports.values();
    if (this.#transports.size > sessionsMax && oldest !== undefined) void oldest.close();
  }
}
