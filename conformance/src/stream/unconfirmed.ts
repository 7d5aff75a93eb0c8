import { Unmet } from '../judge.ts';
import type { Pair } from '../meetings.ts';
import type { Run } from '../run.ts';
import { cancelOrder, offerOrder, sendMessage } from './causes.ts';
import type { StreamEvent } from './frames.ts';
import { demandNews, findNews, listen, soFar, takeIn } from './listening.ts';

/** What came to an agent from another one, and was not acknowledged. */
export interface Unconfirmed {
  readonly message: StreamEvent;
  /** Undefined where nothing of an order was told. */
  readonly order: StreamEvent | undefined;
}

/**
 * Lets one of two friends hear of a message and of an order, and acknowledge neither. What goes
 * wrong is kept for whoever asks for it: it says nothing about what the two are to each other.
 */
export async function leaveUnconfirmed(run: Run, { one, other }: Pair): Promise<() => Unconfirmed> {
  if (!run.stream.isThere) return () => refuse();
  try {
    // Whatever waits still would come first.
    await Promise.all([takeIn(run, one), takeIn(run, other)]);
    const connection = await listen(run, one);
    const before = soFar(run);
    await sendMessage(run, other, one);
    const message = await demandNews(run, connection, before, 'message.created');
    // Which of the two is told of what, if not of both, is left open.
    await cancelOrder(run, other, await offerOrder(run, other, one));
    const order = await findNews(connection, before, 'order.changed', run.stream.lookMs);
    await connection.close();
    return () => ({ message, order });
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function refuse(): never {
  throw new Unmet('no --ws-url was given');
}
