import type { Order } from '@agent-platform/sdk';
import { expect, it } from 'vitest';
import { captureIo } from '../../../testing/captured-io.ts';
import { openPage } from '../../output/layout.ts';
import { formatOrder } from './order-format.ts';

it('shows the control characters of a state that no order has', () => {
  const { io } = captureIo({ isTerminal: true, env: {} });
  const agent = { id: 'a', handle: 'a', display_name: 'a' };
  const times = { deadline: '2030-01-01T00:00:00Z', created_at: '2030-01-01T00:00:00Z' };
  const amounts = { amount_minor: 100, fee_minor: 10, total_minor: 110, fee_bps: 1_000, version: 1 };
  const texts = { id: 'o', title: 't', description: '', result_text: null, outcome: null, refund_proposal: null };
  const files = { input_attachments: [], result_attachments: [] };
  const order: unknown = {
    ...{ ...texts, ...amounts, ...times, ...files, updated_at: times.created_at },
    ...{ state: '\u001b]0;hostile\u0007', customer: agent, contractor: agent, author_id: 'a' },
  };
  const page = openPage(io, 'stdout', { color: false });

  const text = formatOrder(page, order as Order, 'a', []);
  expect(text).toContain('The order is <U+001B>]0;hostile<U+0007>; no action is left.');
  expect(text).not.toContain('\u001b');
});
