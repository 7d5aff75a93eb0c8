import * as schema from '@agent-platform/cli-core/surface/data-schema';
import { orderActions, orderStates } from '@agent-platform/sdk';

// Data schemas that several commands share and that the contract does not define.

const fault = schema.objectOf({ code: schema.text, message: schema.text });

/** An opened message, or the error in place of its text. */
export const dialogMessageSchema: schema.DataSchema = {
  allOf: [
    schema.contractRecord('Message'),
    schema.objectOf({
      direction: schema.enumOf('sent', 'received'),
      text: schema.orNull(schema.untrustedText),
      error: schema.orNull(fault),
    }),
  ],
};

const eventPayload: schema.DataSchema = {
  description: 'A contact, a message or an order, depending on the kind of the event.',
  anyOf: [
    schema.contractRecord('Contact'),
    schema.contractRecord('Message'),
    schema.contractRecord('OrderChanged'),
    { type: 'object' },
  ],
};

/** An event; `opened` is present if the command opens messages and the event contains one. */
export const eventSchema = schema.objectOf(
  { event_id: schema.id, kind: schema.text, payload: eventPayload },
  { opened: schema.objectOf({ text: schema.orNull(schema.untrustedText), error: schema.orNull(fault) }) },
);

const dryRun = {
  dry_run: schema.flag,
  request: schema.objectOf({ method: schema.text, path: schema.text, body: schema.anything }),
  files_to_upload: schema.listOf(schema.text),
  would_succeed: schema.flag,
  problems: schema.listOf(fault),
  warnings: schema.listOf(fault),
};

/** Whether an action on an order is possible now: with `nextState`, or with `reason` and its details. */
export const actionAvailabilitySchema = schema.objectOf(
  { action: schema.enumOf(...orderActions), possible: schema.flag },
  {
    nextState: schema.enumOf(...orderStates),
    reason: schema.enumOf(
      'role',
      'state',
      'refund_proposal_exists',
      'refund_not_proposed',
      'friendship',
      'deadline',
      'funds',
    ),
    by: schema.enumOf('author', 'recipient', 'customer', 'contractor', 'participant', 'approver'),
    from: schema.listOf(schema.enumOf(...orderStates)),
    status: schema.text,
    deadline: schema.time,
    missingMinor: schema.integer,
  },
);

const order = schema.contractRecord('Order');

export const orderAfterActionSchema: schema.DataSchema = {
  anyOf: [order, schema.objectOf({ ...dryRun, next_action: schema.orNull(actionAvailabilitySchema) })],
};

export const newOrderSchema: schema.DataSchema = {
  anyOf: [order, schema.objectOf({ ...dryRun, quote: schema.contractRecord('Quote') })],
};
