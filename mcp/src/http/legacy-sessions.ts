import { randomUUID } from 'node:crypto';
import { type McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';

const sessionsMax = 16;

/**
 * Serves clients of MCP revisions before 2026-07-28 over HTTP. They need a session, because otherwise the server could
 * not ask them a question during a call. If there are too many sessions, the least recently used one ends.
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

  // Until a session exists, the transport itself refuses every method except `initialize`.
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
