import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sendBytes } from '../../../testing/send-bytes.ts';
import { useTestServer } from '../../../testing/test-server.ts';
import type { Store } from '../../store/store.ts';
import { pipelinedRequestsMax } from './pipelined-requests.ts';

let working = 0;
let mostWorking = 0;
const wrapStore = (store: Store): Store => ({
  ...store,
  ping: async () => {
    working += 1;
    mostWorking = Math.max(mostWorking, working);
    await wait(20);
    working -= 1;
  },
});
const server = useTestServer({}, 'copied', { wrapStore });

const request = 'GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n';
const last = 'GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const statusesOf = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);

describe('pipelined requests', () => {
  it('are handled one after another', async () => {
    const received = await sendBytes(server().url, request.repeat(10) + last);

    expect(statusesOf(received)).toEqual([...Array.from({ length: 10 }, () => '200'), '404']);
    expect(mostWorking).toBe(1);
  });

  it('end their connection if too many wait', async () => {
    const allowed = await sendBytes(server().url, request.repeat(pipelinedRequestsMax) + last);
    const tooMany = await sendBytes(server().url, request.repeat(pipelinedRequestsMax + 1) + last);

    expect(statusesOf(allowed)).toHaveLength(pipelinedRequestsMax + 1);
    expect(statusesOf(tooMany)).toEqual([]);
  });

  it('stay unread in the network if they arrive later', async () => {
    const some = request.repeat(40);

    expect(statusesOf(await sendBytes(server().url, [some, some + last]))).toHaveLength(81);
  });

  it('do not get the response to a later faulty request', async () => {
    expect(statusesOf(await sendBytes(server().url, `${request}garbage\r\n\r\n`))).toEqual([]);
  });
});
