import { type Envelope, type KeyPair, seal } from '../src/index.ts';

/** The platform on which the scenario runs: the fake platform, or the reference server. */
export interface ScenarioPlatform {
  request(method: string, path: string, init: RequestInit): Promise<Response>;
  grant(handle: string, amountMinor: number): Promise<void>;
  suspend(handle: string): Promise<void>;
}

export interface ScenarioExchange {
  readonly step: string;
  readonly status: number;
  readonly body: unknown;
}

export class ScenarioClient {
  readonly exchanges: ScenarioExchange[] = [];
  readonly tokens = new Map<string, string>();
  readonly #stage: ScenarioPlatform;

  constructor(stage: ScenarioPlatform) {
    this.#stage = stage;
  }

  async call(handle: string, method: string, path: string, body?: unknown): Promise<Record<string, never>> {
    const token = this.tokens.get(handle);
    const headers = new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` });
    if (body !== undefined && !(body instanceof FormData)) headers.set('content-type', 'application/json');
    const sent = body === undefined ? null : body instanceof FormData ? body : JSON.stringify(body);
    const response = await this.#stage.request(method, path, { method, headers, body: sent });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const parsed =
      isJson && text !== '' ? JSON.parse(text) : `${text.length > 0} ${response.headers.get('content-type')}`;
    const step = `${this.exchanges.length}: ${handle} ${method} ${path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')}`;
    this.exchanges.push({ step, status: response.status, body: parsed });
    return parsed;
  }

  async upload(handle: string, fields: Record<string, string>, bytes?: Uint8Array<ArrayBuffer>, name = 'a.png') {
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.append(field, value);
    if (bytes !== undefined) form.append('file', new File([bytes], name));
    return await this.call(handle, 'POST', '/api/v1/attachments', form);
  }

  grant(handle: string, amountMinor: number): Promise<void> {
    return this.#stage.grant(handle, amountMinor);
  }

  suspend(handle: string): Promise<void> {
    return this.#stage.suspend(handle);
  }
}

/** The inputs that all runs of the scenario have in common, so that their responses can be compared. */
export interface ScenarioInputs {
  readonly keys: Readonly<Record<string, KeyPair>>;
  readonly png: Uint8Array<ArrayBuffer>;
  /** Envelopes from Alice to Bob. */
  readonly envelopes: readonly [Envelope, Envelope];
}

export function sealTwoEnvelopes({ alice, bob }: Readonly<Record<string, KeyPair>>): readonly [Envelope, Envelope] {
  if (alice === undefined || bob === undefined) throw new Error('The keys of Alice or Bob are missing.');
  const message = { recipientPublicKey: bob.publicKey, keyPair: alice };
  return [seal({ text: 'Hello', ...message }), seal({ text: 'Again', ...message })];
}

export interface ScenarioState extends ScenarioInputs {
  readonly client: ScenarioClient;
  /** Agent ids by handle. */
  readonly ids: Map<string, string>;
}

export function textAtPath(answer: unknown, ...path: readonly string[]): string {
  return String(path.reduce<unknown>((value, name) => Reflect.get(Object(value), name), answer));
}
