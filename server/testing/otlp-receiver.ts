import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root span. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 2: server, 3: client, 4: producer. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** Starts a collector that records the traces and metrics it receives as OTLP over HTTP. */
export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = [];
  const metricNames = new Set<string>();
  const bodies: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    bodies.push(body);
    // Resources (field 1) contain scopes (field 2), which contain spans or metrics (field 2).
    const records = at(body, 1).flatMap((resource) => at(resource, 2).flatMap((scope) => at(scope, 2)));
    if (request.url === '/v1/traces') spans.push(...records.map(readSpan));
    else for (const metric of records) metricNames.add(textAt(metric, 1));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: spans as readonly ReceivedSpan[],
    metricNames: metricNames as ReadonlySet<string>,
    text: () => Buffer.concat(bodies).toString('latin1'),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function readSpan(span: Buffer): ReceivedSpan {
  const attributes = at(span, 9).map((pair) => {
    const value = at(pair, 2)[0] ?? Buffer.alloc(0);
    const [text] = at(value, 1);
    return [textAt(pair, 1), text?.toString() ?? numberAt(value, 3)] as const;
  });
  const hex = (field: number) => at(span, field)[0]?.toString('hex') ?? '';
  return {
    traceId: hex(1),
    spanId: hex(2),
    parentSpanId: hex(4),
    name: textAt(span, 5),
    kind: numberAt(span, 6),
    attributes: Object.fromEntries(attributes),
  };
}

const textAt = (message: Buffer, field: number) => at(message, field)[0]?.toString() ?? '';

const numberAt = (message: Buffer, field: number) =>
  fieldsOf(message).find(([known, value]) => known === field && typeof value === 'number')?.[1] as number;

/** Returns the embedded messages and texts in a field. */
function at(message: Buffer, field: number): readonly Buffer[] {
  return fieldsOf(message).flatMap(([known, value]) => (known === field && typeof value !== 'number' ? [value] : []));
}

// Parses the wire format of Protocol Buffers.
function fieldsOf(message: Buffer): readonly (readonly [field: number, value: Buffer | number])[] {
  const fields: (readonly [number, Buffer | number])[] = [];
  let position = 0;
  const varint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[position++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const bytes = (length: number) => {
    position += length;
    return message.subarray(position - length, position);
  };
  while (position < message.length) {
    const tag = varint();
    const lengths = { 1: 8, 5: 4 } as Readonly<Record<number, number>>;
    const value = tag % 8 === 0 ? varint() : bytes(tag % 8 === 2 ? varint() : (lengths[tag % 8] ?? 0));
    fields.push([Math.floor(tag / 8), value]);
  }
  return fields;
}
