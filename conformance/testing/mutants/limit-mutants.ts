import { randomUUID } from 'node:crypto';
import { type Limits, unpacedLimits } from '@agent-platform/conformance';
import { parseFaults } from '../fault-language.ts';
import { isAbout, jsonReply, refusal, tokenOf } from '../faults.ts';
import type { Fault, ProxiedReply } from '../passing.ts';

const sending = 'POST /api/v1/messages';
const changing = 'PATCH /api/v1/bots/me';
const requesting = 'POST /api/v1/contacts/requests';
const registering = 'POST /api/v1/bots/register';
const mebibyte = 1024 * 1024;

/** The limits of a run against a server that only limits registrations. */
export const registrationLimitOnly: Limits = { ...unpacedLimits, registrationsPerHour: 10 };

/** Servers with wrong limits, each a proxy in front of a server without limits; `now` is their clock. */
export const limitMutantsAt = (now: () => number) =>
  parseFaults(
    'limits',
    `
takes a change less in a minute than it should | writes | = changeLess
answers 403 to the change above the limit | writes | = forbiddenChange
takes a message less in a minute than it should | messages | = messageLess
counts changes by token | tokens | = byToken
names another code for the message above the limit | messages | = otherCode
takes a contact request less in a minute than it should | contact-requests | = requestLess
takes a contact request more in a minute than it should | contact-requests | = requestMore
names another code for the contact request above the limit | contact-requests | = otherCodeOfRequests
counts no attempts to register | registrations | = registersAlways
names another code for the attempt to register above the limit | registrations | = otherCodeOfAttempts
refuses the hundredth file of an agent | files | = fileLess
takes 101 files of an agent | files | = fileMore
names another code for a file above the limit | files | = otherCodeOfFiles
refuses a fourth file of 20 MiB | file-bytes | = bytesLess
takes 120 MiB of an agent | file-bytes | = bytesMore
refuses the thousandth upload of an agent | upload-records | = uploadLess
takes 1001 uploads of an agent | upload-records | = uploadMore
`,
    {},
    {
      changeLess: () => limitRequests(changing, 119, refusal(429, 'write_limited'), now),
      forbiddenChange: () => limitRequests(changing, 120, refusal(403, 'write_limited'), now),
      byToken: () => limitRequests('* /api/v1/*', 120, refusal(429, 'write_limited'), now),
      messageLess: () => limitRequests(sending, 59, refusal(429, 'rate_limited'), now),
      otherCode: () => limitRequests(sending, 60, refusal(429, 'slow_down'), now),
      requestLess: () => limitRequests(requesting, 9, refusal(429, 'rate_limited'), now),
      requestMore: () => limitRequests(requesting, 11, refusal(429, 'rate_limited'), now),
      otherCodeOfRequests: () => limitRequests(requesting, 10, refusal(429, 'slow_down'), now),
      // Nothing to change, because the server behind the proxy has no limit.
      registersAlways: () => ({}),
      otherCodeOfAttempts: () => limitRequests(registering, 10, refusal(429, 'slow_down'), now),
      fileLess: () => withQuotas({ files: 99 }),
      fileMore: () => withQuotas({ files: 101 }),
      otherCodeOfFiles: () => withQuotas({ code: 'rate_limited' }),
      bytesLess: () => withQuotas({ bytes: 70 * mebibyte }),
      bytesMore: () => withQuotas({ bytes: 130 * mebibyte }),
      uploadLess: () => withQuotas({ records: 999 }),
      uploadMore: () => withQuotas({ records: 1_001 }),
    },
  );

export const limitMutants = limitMutantsAt(Date.now);

/** Accepts this many requests from each agent in the minute that starts with the first one; refuses more requests. */
export function limitRequests(about: string, most: number, more: ProxiedReply, now: () => number = Date.now): Fault {
  const minutes = new Map<string | undefined, { readonly startedAt: number; count: number }>();
  return {
    onRequest: (request) => {
      if (!isAbout(request, about)) return request;
      const known = minutes.get(tokenOf(request));
      const minute = known !== undefined && now() - known.startedAt < 60_000 ? known : { startedAt: now(), count: 0 };
      minutes.set(tokenOf(request), minute);
      minute.count += 1;
      return minute.count > most ? more : request;
    },
  };
}

interface Quotas {
  readonly files?: number;
  readonly bytes?: number;
  readonly records?: number;
  /** The error code for an upload that exceeds the quota of files or bytes. */
  readonly code?: string;
}

/** Makes a fault that applies these upload quotas; the defaults are the specified quotas. */
export function withQuotas(quotas: Quotas): Fault {
  const { files = 100, bytes = 100 * mebibyte, records = 1_000, code = 'storage_quota_exceeded' } = quotas;
  const used = new Map<string | undefined, { files: number; bytes: number; records: number }>();
  return {
    onRequest: (request) => {
      if (!isAbout(request, 'POST /api/v1/attachments')) return request;
      const agent = used.get(tokenOf(request)) ?? { files: 0, bytes: 0, records: 0 };
      used.set(tokenOf(request), agent);
      if (agent.records >= records) return refusal(429, 'storage_record_limit');
      if (agent.files >= files || agent.bytes + request.body.length > bytes) return refusal(429, code);
      agent.records += 1;
      if (!request.body.includes('PNG')) return refusal(400, 'invalid_file');
      agent.files += 1;
      agent.bytes += request.body.length;
      return jsonReply(201, { attachment: { id: randomUUID(), purpose: 'portfolio', available: true } });
    },
  };
}
