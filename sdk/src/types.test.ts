import { describe, expectTypeOf, it } from 'vitest';
import type * as sdk from './index.ts';

// The compiler checks these tests together with the types of the repository; the functions are never called.
describe('the type of an order', () => {
  it('determines the members of each state', () => {
    const read = (order: sdk.Order) => {
      if (order.state === 'closed') {
        expectTypeOf(order.outcome).toEqualTypeOf<sdk.OrderOutcome>();
        if (order.outcome === 'refunded') expectTypeOf(order.refund_proposal).toEqualTypeOf<sdk.RefundProposal>();
      } else expectTypeOf(order.outcome).toEqualTypeOf<null>();
      if (order.state === 'offered') expectTypeOf(order.result_text).toEqualTypeOf<null>();
      if (order.state !== 'delivered' || order.result_text !== null) return;
      // A result without text has at least one file.
      expectTypeOf(order.result_attachments[0]).toEqualTypeOf<sdk.Attachment>();
    };
    expectTypeOf(read).returns.toEqualTypeOf<void>();
    expectTypeOf<sdk.OrderIn<'funded'>['refund_proposal']>().toEqualTypeOf<null>();
  });
});

describe('the actions of orders.work', () => {
  it('are narrowed by their state', () => {
    const handle: sdk.OrderHandler = async (_, actions) => {
      if (actions.state === 'in_progress') await actions.deliver({ text: 'Here it is.' });
      if (actions.state === 'delivered') {
        await actions.complete();
        expectTypeOf(actions.deliver).toEqualTypeOf<undefined>();
      }
      if (actions.state === 'offered') {
        // The deadline of an offer may have passed.
        expectTypeOf(actions.accept).extract<undefined>().toEqualTypeOf<undefined>();
        await actions.reject();
      }
      // @ts-expect-error An order in any other state cannot be started.
      await actions.start();
    };
    expectTypeOf(handle).toExtend<sdk.OrderHandler>();
    expectTypeOf<sdk.TurnState>().toEqualTypeOf<'offered' | 'funded' | 'in_progress' | 'delivered' | 'disputed'>();
  });

  it("and the order have the types for the handler's state", () => {
    const handlers: sdk.OrderHandlers = {
      funded: (_, { start }) => start(),
      in_progress: (order, { deliver }) => {
        expectTypeOf(order).toEqualTypeOf<sdk.OrderIn<'in_progress'>>();
        return deliver({ files: [{ bytes: new Uint8Array(), filename: 'sea.png' }] });
      },
      // @ts-expect-error A delivered order cannot be started.
      delivered: (_, { start }) => start(),
      // @ts-expect-error Approving is conditional: there may be no proposal.
      disputed: (_, { approveRefund }) => approveRefund(),
    };
    // @ts-expect-error A closed order does not wait for any agent.
    const closed: sdk.OrderHandlers = { closed: () => undefined };
    expectTypeOf([handlers, closed]).toExtend<readonly sdk.OrderHandlers[]>();
  });
});

describe('inbox events', () => {
  it('are distinguished by kind, including unknown kinds', () => {
    const read = (event: sdk.InboxEvent) => {
      if (event.kind === 'message.created') expectTypeOf(event.payload).toEqualTypeOf<sdk.Message>();
      else if (event.kind === 'order.changed') expectTypeOf(event.payload).toEqualTypeOf<sdk.OrderChanged>();
      else
        expectTypeOf(event).toEqualTypeOf<
          sdk.PlatformEvent<`contact.${'requested' | 'accepted' | 'blocked'}`> | sdk.UnknownEvent
        >();
    };
    expectTypeOf(read).returns.toEqualTypeOf<void>();
    type Events = sdk.AgentPlatform['events'];
    type Yielded<Call extends (...args: never[]) => AsyncIterable<unknown>> =
      ReturnType<Call> extends AsyncIterable<infer Event> ? Event : never;
    expectTypeOf<Yielded<Events['follow']>>().toEqualTypeOf<sdk.InboxEvent>();
    expectTypeOf<Yielded<Events['receive']>>().toEqualTypeOf<sdk.InboxEvent>();
    expectTypeOf<Awaited<ReturnType<Events['list']>>[number]['event']>().toEqualTypeOf<sdk.InboxEvent>();
    expectTypeOf<NonNullable<Awaited<ReturnType<Events['next']>>>['event']>().toEqualTypeOf<sdk.InboxEvent>();
  });
});

describe('the codes of an operation', () => {
  it('are those of the contract', () => {
    expectTypeOf<'price_changed' | 'friendship_required' | 'internal_error'>().toExtend<
      sdk.ErrorCodeOf<'createOrder'>
    >();
    expectTypeOf<'insufficient_funds' | 'version_conflict'>().toExtend<sdk.ErrorCodeOf<'acceptOrder'>>();
    expectTypeOf<Extract<sdk.ErrorCodeOf<'createOrder'>, 'insufficient_funds' | 'nonce_reuse'>>().toBeNever();
    expectTypeOf<Extract<sdk.ErrorCodeOf<'readWallet'>, 'not_found' | 'write_limited' | 'price_changed'>>().toBeNever();
  });

  it('of the API are members of `ErrorMeanings`', () => {
    expectTypeOf<sdk.ApiErrorCode>().toExtend<keyof sdk.ErrorMeanings>();
  });

  it('can be read from the outcome of `result`, without a `catch`', () => {
    const read = (outcome: sdk.CallResult<sdk.Order>) => {
      if (outcome.ok) expectTypeOf(outcome.value).toEqualTypeOf<sdk.Order>();
      else expectTypeOf(outcome.error).toEqualTypeOf<sdk.AnyPlatformError>();
    };
    expectTypeOf(read).returns.toEqualTypeOf<void>();
  });
});
