import { type Dispatcher, getGlobalDispatcher } from 'undici';

/**
 * Sends a POST request if there is a body, otherwise a GET request. Returns the response body as text.
 *
 * @throws Error the status is not 2xx
 */
export async function sendRequest(
  url: string,
  path: string,
  token?: string,
  body?: object,
  dispatcher: Dispatcher = getGlobalDispatcher(),
): Promise<string> {
  const reply = await dispatcher.request({
    origin: url,
    path,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.body.text();
  if (reply.statusCode >= 300) throw new Error(`${path} responded with ${reply.statusCode} ${text}`);
  return text;
}
