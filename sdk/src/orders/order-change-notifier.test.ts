import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../state/client-state.ts';
import { OrderChangeNotifier } from './order-change-notifier.ts';

const orderId = '01931f6e-0000-7000-8000-0000000000a0';

function event(kind: string, payload: unknown): StoredEvent {
  return { event_id: '01931f6e-0000-7000-8000-0000000000e0', kind, payload };
}

function following(id = orderId) {
  const news = new OrderChangeNotifier();
  const calls = { count: 0 };
  const stop = news.follow(id, () => {
    calls.count += 1;
  });
  return { news, calls, stop };
}

describe('reported order changes', () => {
  it('reports changes only of the followed order', () => {
    const { news, calls, stop } = following(orderId.toUpperCase());
    news.onEvent(event('order.changed', { order_id: orderId, status: 'funded', version: 2 }));
    expect(calls.count).toBe(1);
    news.onEvent(event('order.changed', { order_id: 'another' }));
    news.onEvent(event('order.changed', null));
    news.onEvent(event('message.created', { order_id: orderId }));
    expect(calls.count).toBe(1);
    stop();
    news.onEvent(event('order.changed', { order_id: orderId }));
    expect(calls.count).toBe(1);
  });

  it('reports when a stream opens or ends, and is live while one is open', () => {
    const { news, calls } = following();
    const lives = [news.isLive()];
    for (const step of [news.onOpen, news.onOpen, news.onEnd, news.onEnd]) {
      step.call(news);
      lives.push(news.isLive());
    }

    expect(lives).toEqual([false, true, true, true, false]);
    expect(calls.count).toBe(4);
  });

  it('allows a follower to stop while it is called', () => {
    const news = new OrderChangeNotifier();
    const told: string[] = [];
    const stop = news.follow(orderId, () => {
      told.push('one');
      stop();
    });
    news.follow(orderId, () => told.push('other'));
    news.onOpen();
    news.onOpen();

    expect(told).toEqual(['one', 'other', 'other']);
  });
});
