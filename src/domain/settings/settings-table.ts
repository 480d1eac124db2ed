/** Reads settings by a table: either every value, or every problem in one sentence each. */
import { nearestNames } from '../values/nearest-name.ts';
import type { Parsed } from './setting-values.ts';

export interface Setting<T> {
  readonly parse: (text: string) => Parsed<T>;
  readonly fallback: T;
  /** Text of `--help`: one line without a full stop. */
  readonly help: string;
  /** Default as shown in `--help`. */
  readonly shown: string;
}

type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

/** Values of a table by setting name. */
export type ValuesOf<Table extends SettingsTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never;
};

/** Problem of a setting: one sentence with its name, the reason and what would be right. Never contains a secret's value. */
export interface SettingProblem {
  readonly variable: string;
  readonly sentence: string;
}

/** Inputs of rules between settings. */
export interface GivenSettings<Table extends SettingsTable> {
  /** Returns the text of a setting, empty if it is not set. */
  readonly given: (name: keyof Table & string) => string;
  /** Values that could be read. */
  readonly values: Partial<ValuesOf<Table>>;
  readonly complain: (variable: string, why: string) => void;
}

/** Rules between settings. */
export interface SettingRules<Name extends string> {
  /** Groups of settings that must be set together. */
  readonly together: readonly (readonly Name[])[];
  /** Keys, each with the setting of the only system it is for. */
  readonly keyOf: readonly (readonly [key: Name, of: Name])[];
  /** Settings that are useful only with another one. */
  readonly onlyWith: readonly (readonly [name: Name, of: Name, why: string])[];
  /** Settings of earlier versions, and their replacements. */
  readonly gone?: Readonly<Record<string, string>>;
  /** Prefixes of setting names. An unknown environment variable with one of them is a mistake. */
  readonly prefixes: readonly string[];
}

export function setting<T>(parse: (text: string) => Parsed<T>, fallback: NoInfer<T>, help: string, shown = 'none'): Setting<T> {
  return { parse, fallback, help, shown };
}

/** Declares a setting that is null if it is not set. */
export function optional<T>(parse: (text: string) => Parsed<T>, help: string, shown = 'none'): Setting<T | null> {
  return { parse, fallback: null, help, shown };
}

/**
 * Reads a whole environment at once. An empty value counts as not set. @param further Rules beyond the simple relations of two settings.
 */
export function readSettings<Table extends SettingsTable>(
  table: Table,
  rules: SettingRules<keyof Table & string>,
  further: (asked: GivenSettings<Table>) => void,
  env: Readonly<Record<string, string | undefined>>,
): ValuesOf<Table> | readonly SettingProblem[] {
  const problems: SettingProblem[] = [];
  const complain = (variable: string, why: string) => void problems.push({ variable, sentence: `${variable}: ${why}` });
  const values: { [name: string]: unknown } = {};
  const given = (name: string): string => (env[name] ?? '').trim();
  for (const [name, { parse, fallback }] of Object.entries(table)) {
    const parsed: Parsed<unknown> = given(name) === '' ? { value: fallback } : parse(given(name));
    if ('wrong' in parsed) complain(name, parsed.wrong);
    else values[name] = parsed.value;
  }
  const asked = { given, values: values as Partial<ValuesOf<Table>>, complain };
  complainOfParts(rules, asked);
  further(asked);
  complainOfStrangers(table, rules, Object.keys(env), complain);
  return problems.length > 0 ? problems : (values as ValuesOf<Table>);
}

/** Reports incomplete groups, keys without their system, and settings that need another one. */
function complainOfParts<Table extends SettingsTable>(
  { together, keyOf, onlyWith }: SettingRules<keyof Table & string>,
  { given, complain }: GivenSettings<Table>,
): void {
  for (const group of together) {
    const missing = group.filter((name) => given(name) === '');
    if (missing.length === group.length) continue;
    const present = group.filter((name) => given(name) !== '');
    for (const name of missing)
      complain(name, `is missing, and ${present.join(' and ')} ${present.length > 1 ? 'need' : 'needs'} it: set all or none`);
  }
  for (const [key, of] of keyOf) {
    if (given(key) !== '' && given(of) === '')
      complain(key, `is set without ${of}, and the sandbox takes no key: set ${of} or remove the key`);
  }
  for (const [name, of, why] of onlyWith) if (given(name) !== '' && given(of) === '') complain(name, `is set without ${of}: ${why}`);
}

/** Reports unknown environment variables with one of our prefixes. */
function complainOfStrangers(
  table: SettingsTable,
  { prefixes, gone = {} }: Pick<SettingRules<string>, 'prefixes' | 'gone'>,
  names: readonly string[],
  complain: (variable: string, why: string) => void,
): void {
  for (const name of names) {
    if (Object.hasOwn(table, name) || !prefixes.some((prefix) => name.startsWith(prefix))) continue;
    const instead = Object.hasOwn(gone, name) ? gone[name] : undefined;
    if (instead !== undefined) {
      complain(name, instead);
      continue;
    }
    const [near] = nearestNames(name, Object.keys(table), 1);
    complain(
      name,
      near ? `there is no such setting: did you mean ${near}?` : 'there is no such setting: remove it (npm start -- --help lists them)',
    );
  }
}

/** Returns the settings for `--help`, one line each. */
export function settingsText(table: SettingsTable): string {
  const width = Math.max(...Object.keys(table).map((name) => name.length));
  return Object.entries(table)
    .map(([name, { help, shown }]) => `  ${name.padEnd(width)}  ${help} (default: ${shown})`)
    .join('\n');
}
