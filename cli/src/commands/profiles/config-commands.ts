import { type CommandGroup, defineCommand, parseNoInput } from '@agent-platform/cli-core/command';
import { type ProfileSettings, readSettings, writeSettings } from '@agent-platform/cli-core/credentials/settings';
import { UsageError } from '@agent-platform/cli-core/errors/failure';
import type { ParsedArguments } from '@agent-platform/cli-core/options/parsed-arguments';
import { type SettingDescription, settingDescriptions } from '@agent-platform/cli-core/options/settings';
import { formatCard, formatTable, type TextLayout } from '@agent-platform/cli-core/output/layout';
import { toVisibleLine } from '@agent-platform/cli-core/output/visible-text';
import { type CommandContext, loadCredential } from '@agent-platform/cli-core/session/chosen-credential';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import { Argument, Option } from 'commander';

const settingData = { name: schema.text, value: schema.text, is_set: schema.flag, meaning: schema.text };
const profileAndSetting = schema.objectOf({ profile: schema.text, ...settingData });
const settingArgument = () =>
  new Argument('<setting>', 'the setting').choices(settingDescriptions.map(({ name }) => name));

export const configCommands: CommandGroup = {
  noun: 'config',
  summary: 'the settings of a profile',
  commands: [
    defineCommand({
      path: ['config', 'list'],
      effect: 'read',
      repeat: 'safe',
      operations: [],
      summary: 'list the settings of the profile',
      description:
        'Lists the settings of the profile that --profile names, or else of the current profile. Options and environment variables override these settings.',
      examples: ['agentp config list', 'agentp config list --profile alice'],
      out: schema.objectOf({ profile: schema.text, settings: schema.listOf(schema.objectOf(settingData)) }),
      parse: parseNoInput,
      run: async (_, session) => {
        const { profile, settings } = await load(session);
        const listed = settingDescriptions.map((setting) => describe(setting, settings));
        return {
          data: { profile, settings: listed },
          format: (page) =>
            formatTable(
              page,
              listed,
              [
                ['SETTING', ({ name }) => name],
                ['VALUE', ({ value, is_set }) => (is_set ? value : { text: value, paint: 'dim' })],
                ['MEANING', ({ meaning }) => meaning, 'text'],
              ],
              '',
            ),
        };
      },
    }),
    defineCommand({
      path: ['config', 'get'],
      effect: 'read',
      repeat: 'safe',
      operations: [],
      summary: 'print a setting of the profile',
      examples: ['agentp config get timeout'],
      arguments: [settingArgument()],
      out: profileAndSetting,
      parse: readSetting,
      run: async (setting, session) => {
        const { profile, settings } = await load(session);
        const data = { profile, ...describe(setting, settings) };
        return { data, format: () => `${toVisibleLine(data.value)}\n` };
      },
    }),
    defineCommand({
      path: ['config', 'set'],
      effect: 'write',
      repeat: 'idempotent',
      operations: [],
      summary: 'change a setting of the profile',
      examples: ['agentp config set timeout 60', 'agentp config set output json', 'agentp config set timeout --unset'],
      arguments: [settingArgument(), new Argument('[value]', 'the new value')],
      options: [new Option('--unset', 'remove the setting instead of changing it')],
      out: profileAndSetting,
      parse: (args) => ({ setting: readSetting(args), value: readValue(args) }),
      run: changeSetting,
    }),
  ],
};

function readSetting(args: ParsedArguments): SettingDescription {
  const setting = settingDescriptions.find(({ name }) => name === args.argument(0));
  if (setting === undefined) throw new UsageError(`There is no setting "${args.argument(0)}".`);
  return setting;
}

function readValue(args: ParsedArguments): string | undefined {
  const value = args.optionalArgument(1);
  if ((value === undefined) !== args.flag('unset')) throw new UsageError('Pass either a value or --unset.');
  if (value !== undefined) readSetting(args).check(value);
  return value;
}

interface Change {
  readonly setting: SettingDescription;
  readonly value: string | undefined;
}

async function changeSetting({ setting, value }: Change, session: CommandContext) {
  const { profile, settings, origin } = await load(session);
  if (setting.name === 'base-url' && value !== undefined && new URL(value).origin !== origin) {
    throw new UsageError(
      `The token of "${profile}" is sent to ${origin} only.`,
      'Pass an address of that server, or register another agent.',
    );
  }
  const { [setting.name]: _, ...others } = settings;
  const changed = value === undefined ? others : { ...others, [setting.name]: value };
  await writeSettings(session.profiles, profile, changed);
  const data = { profile, ...describe(setting, changed) };
  return {
    data,
    format: (page: TextLayout) =>
      formatCard(page, `${setting.name} is ${value === undefined ? 'unset' : 'set'}`, [
        ['profile', profile],
        ['value', data.value],
      ]),
  };
}

async function load({ profiles, options }: CommandContext) {
  const profile = await profiles.choose(options.profile);
  const { origin } = await loadCredential(profile, profiles.fileOf(profile));
  return { profile, origin, settings: await readSettings(profiles, profile) };
}

function describe({ name, otherwise, meaning }: SettingDescription, settings: ProfileSettings) {
  const value = settings[name];
  return { name, value: value ?? otherwise, is_set: value !== undefined, meaning };
}
