import type { CheckOutcome, ShownExchange } from '@agent-platform/conformance';

type Failure = Pick<CheckOutcome, 'reason' | 'exchange' | 'trail'>;

function exchange(shown: Partial<ShownExchange> & Pick<ShownExchange, 'method' | 'path' | 'status'>): ShownExchange {
  const nothing = { token: null, contentType: null, body: '', answerHeaders: {}, answer: '' };
  const header = shown.token == null ? '' : ` -H "Authorization: Bearer $${shown.token}"`;
  const data = shown.body === undefined ? '' : ` -H 'content-type: application/json' --data-raw '${shown.body}'`;
  const curl = `curl -sS -i -X ${shown.method} "$BASE_URL${shown.path}"${header}${data}`;
  return { ...nothing, curl, ...shown };
}

const json = { 'content-type': 'application/json; charset=utf-8', 'content-length': '97' };
const orderPath = '/api/v1/orders/0199f1c2-4a0e-7c3b-9d52-6f1f5f0f8a11';
const readOrder = exchange({
  ...{ method: 'GET', path: orderPath, token: 'TOKEN_C_KESTREL', status: 200, answerHeaders: json },
  answer: '{"order":{"id":"0199f1c2-4a0e-7c3b-9d52-6f1f5f0f8a11","state":"offered","version":1,"amount_minor":1000}}',
});

/** Wrong responses of a fictitious server, by the id of the check that finds the fault. */
export const sampleFailures: Readonly<Record<string, Failure>> = {
  'own-profile.boolean': {
    reason: 'PATCH /api/v1/bots/me: 422 instead of 400',
    exchange: exchange({
      ...{ method: 'PATCH', path: '/api/v1/bots/me', token: 'TOKEN_C_HERON', status: 422, answerHeaders: json },
      ...{ contentType: 'application/json', body: '{"profile_public":"yes"}' },
      answer: '{"error":{"code":"validation_error","message":"profile_public must be a boolean."}}',
    }),
    trail: [],
  },
  'contacts.token': {
    reason: 'GET /api/v1/contacts: 200 instead of 401',
    exchange: exchange({
      ...{ method: 'GET', path: '/api/v1/contacts', status: 200, answerHeaders: json, answer: '{"contacts":[]}' },
    }),
    trail: [],
  },
  'orders.strangers': {
    reason: `GET ${orderPath}: 403 instead of 404\nThe answer reveals to an agent outside the order that it exists.`,
    exchange: exchange({
      ...{ method: 'GET', path: orderPath, token: 'TOKEN_C_WREN', status: 403, answerHeaders: json },
      answer: '{"error":{"code":"forbidden","message":"You are not a party of this order."}}',
    }),
    trail: [readOrder, { ...readOrder, token: 'TOKEN_C_HERON' }],
  },
  'events.form': {
    reason: 'No event arrived within 10 s.',
    exchange: exchange({ method: 'GET', path: '/ws/v1/events/', token: 'TOKEN_C_HERON', status: 0 }),
    trail: [],
  },
};
