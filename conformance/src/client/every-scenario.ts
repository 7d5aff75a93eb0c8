import { publicKeyOf } from '@agent-platform/sdk';
import { replyText } from './serving.ts';
import type { Trace, TracedRequest } from './trace.ts';
import { type ClientCheck, ClientViolation, defineClientCheck, StepNotReached } from './verdicts.ts';

const base64Keys = /[A-Za-z0-9+/]{43}=/g;

export function makeTraceChecks(traces: readonly Trace[]): readonly ClientCheck[] {
  const requests = traces.flatMap((trace) => trace.requests);
  const frames = traces.flatMap((trace) => trace.frames);
  const expectRequests = () => {
    if (requests.length === 0) throw new StepNotReached('the program sent no request');
  };
  return [
    defineClientCheck('frames', 'AP-CLIENT-011', 'Only received events are acknowledged.', () => {
      const wrong = frames.find(({ did }) => did === 'ack of nothing' || did === 'invalid frame');
      if (wrong?.did === 'invalid frame')
        throw new ClientViolation(
          `The program sent a frame that is not an ack: ${wrong.eventId}. The server may close the connection for it. Send ` +
            '{"type":"ack","event_id":"…"} with the event_id of a received event, and nothing else.',
        );
      if (wrong !== undefined)
        throw new ClientViolation(
          `The program acknowledged the event ${wrong.eventId}, which was not delivered on that connection: such an ack has no ` +
            'effect. After a reconnect, wait until the event is delivered again, and then acknowledge it.',
        );
      if (!frames.some(({ did }) => did === 'ack')) throw new StepNotReached('the program acknowledged no event');
    }),
    defineClientCheck('plaintext', 'AP-CLIENT-014', 'No message text is sent unencrypted.', () => {
      const open = requests.find(showsReply);
      if (open !== undefined)
        throw new ClientViolation(
          'A request contains the text of a message unencrypted, so the platform can read and log it. Send only the ' +
            'sealed envelope: no member may contain the text unencrypted.',
          open,
        );
      if (!requests.some(({ path }) => path === '/api/v1/messages'))
        throw new StepNotReached('the program sent no message');
    }),
    defineClientCheck('private-key', 'AP-CLIENT-016', 'The private key stays in the program.', () => {
      expectRequests();
      const [leak] = requests.filter((request) => showsPrivateKey(request, requests));
      if (leak === undefined) return;
      throw new ClientViolation(
        'The private key of the agent is in a request: anyone with it can read every message to the agent, and no ' +
          'operation changes the key. Send only the public key, and keep the private key in the folder of the agent.',
        leak,
      );
    }),
    defineClientCheck('urls', 'AP-CLIENT-017', 'No URL contains a token.', () => {
      expectRequests();
      const tokens = new Set(requests.flatMap(({ token }) => token ?? []));
      const showsToken = (url: string) => [...tokens].some((token) => url.includes(token));
      const leak = requests.find(({ path, query }) => showsToken(`${path}${query}`));
      const opened = frames.find(({ url }) => showsToken(url));
      if (leak === undefined && opened === undefined) return;
      const advice = 'URLs are written to logs: send it in the header Authorization.';
      throw new ClientViolation(
        `The token is in the URL ${leak ? 'of a request' : 'of the event stream'}. ${advice}`,
        leak,
      );
    }),
  ];
}

function showsReply({ body, query }: TracedRequest): boolean {
  const encoded = Buffer.from(replyText).toString('base64').replaceAll('=', '').slice(0, -1);
  return body.includes(replyText) || body.includes(encoded) || decodeURIComponent(query).includes(replyText);
}

/** Whether a request contains 32 bytes that are the private key of a registered public key. */
function showsPrivateKey({ body }: TracedRequest, requests: readonly TracedRequest[]): boolean {
  const registered: readonly unknown[] = requests.map(({ json }) => json['encryption_public_key']);
  return (body.match(base64Keys) ?? []).some((text) => {
    const publicKey = tryPublicKeyOf(text);
    return publicKey !== undefined && registered.includes(publicKey);
  });
}

function tryPublicKeyOf(privateKey: string): string | undefined {
  try {
    return publicKeyOf(privateKey);
  } catch {
    return undefined;
  }
}
