import Type from 'typebox';
import { type RegistrationMode, registrationModes } from '../../identity/registration/registration-mode.ts';
import { chooseRegistrationMode } from '../../identity/registration/registration-mode-commands.ts';
import { operatorCommand } from '../command.ts';
import {
  describeRegistration,
  Mode,
  modeWords,
  RegistrationInForce,
  readRegistration,
} from '../registration-in-force.ts';
import { Closed } from '../schemas.ts';

const meanings: Readonly<Record<RegistrationMode, string>> = {
  open: 'open registration to all agents',
  invitation: 'require an invitation for registration',
  closed: 'close registration',
};

const showing = operatorCommand({
  name: 'registration show',
  summary: 'show the registration mode and its source',
  isDefault: true,
  arguments: Closed({}),
  result: RegistrationInForce,
  run: async (parts) => await readRegistration(await parts.store.upToDate(), parts.settings.registrationMode),
  show: (registration) => `Registration is ${describeRegistration(registration)}.`,
});

const choosing = registrationModes.map((mode) =>
  operatorCommand({
    name: `registration ${mode}`,
    summary: `${meanings[mode]}, immediately and on every instance`,
    arguments: Closed({}),
    result: Closed({ mode: Mode, previous: Mode, changed: Type.Boolean() }),
    run: async (parts) => {
      const store = await parts.store.upToDate();
      const { previous } = await chooseRegistrationMode(store, parts.clock, mode, parts.settings.registrationMode);
      return { mode, previous, changed: previous !== mode };
    },
    audit: (_, { previous, changed }) => ({ mode, previous, changed }),
    show: ({ previous, changed }) =>
      changed
        ? `Registration is now ${modeWords[mode]}; it was ${modeWords[previous]}.`
        : `Registration is already ${modeWords[mode]}.`,
  }),
);

/** What an operator does with registration. */
export const registrationCommands = [showing, ...choosing];
