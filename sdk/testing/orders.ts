import type { Order } from '@agent-platform/contract';
import { testPassport } from './records.ts';

export const sampleFriendId = '01931f6e-0000-7000-8000-000000000002';

export const sampleOrder: Order = {
  id: '01931f6e-0000-7000-8000-0000000000a0',
  state: 'offered',
  version: 1,
  author_id: sampleFriendId,
  customer: { id: testPassport.id, handle: 'alice', display_name: 'Alice' },
  contractor: { id: sampleFriendId, handle: 'bob', display_name: 'Bob' },
  title: 'A thumbnail',
  description: '',
  deadline: '2126-11-21T12:00:00.000Z',
  amount_minor: 1_000,
  fee_minor: 100,
  total_minor: 1_100,
  fee_bps: 1_000,
  fee_mode: 'on_top',
  input_attachments: [],
  result_attachments: [],
  result_text: null,
  refund_proposal: null,
  outcome: null,
  created_at: '2026-11-21T09:03:24.250Z',
  updated_at: '2026-11-21T09:03:24.250Z',
};
