/** Draft of a manifest: texts of its fields and rows of its rules, converted from and to a manifest. */
import type { ConditionForm, Field, ManifestForm } from './manifest-form.ts';

export type Side = 'entry' | 'exit';
export type Texts = Readonly<Record<string, string | readonly string[]>>;

export interface RuleRow {
  readonly type: string;
  readonly texts: Texts;
  /** Members that the form does not know. The service reports what is wrong with them. */
  readonly more: Readonly<Record<string, unknown>>;
}

export interface ManifestDraft {
  readonly texts: Texts;
  readonly universe: readonly string[];
  readonly entry: readonly RuleRow[];
  readonly exit: readonly RuleRow[];
  readonly more: Readonly<Record<string, unknown>>;
}

type Members = Readonly<Record<string, unknown>>;

const NO_CONDITION: ConditionForm = { type: '', meaning: '', fields: [] };

export const conditionForm = (form: ManifestForm, side: Side, type: string): ConditionForm =>
  form[side].find((one) => one.type === type) ?? { ...NO_CONDITION, type };

export const emptyRow = (form: ManifestForm, side: Side, type: string): RuleRow => ({
  type,
  texts: toTexts(conditionForm(form, side, type).fields, {}),
  more: {},
});

/** Returns a draft's manifest in payload form. An outside strategy has no rules of its own. */
export function toManifest(draft: ManifestDraft, form: ManifestForm): Members {
  const { name, description, ...rest } = readValues(form.fields, draft.texts);
  const rules = (side: Side) =>
    draft[side].map((row) => ({ type: row.type, ...readValues(conditionForm(form, side, row.type).fields, row.texts), ...row.more }));
  const isOutside = draft.texts['strategy'] === 'external' && draft.entry.length + draft.exit.length === 0;
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    universe: draft.universe,
    ...(isOutside ? {} : { entryConditions: rules('entry'), exitConditions: rules('exit') }),
    ...rest,
    ...draft.more,
  };
}

/** Returns the draft of a manifest in payload form, or null if its lists are malformed. */
export function toDraft(manifest: Members, form: ManifestForm): ManifestDraft | null {
  const { universe = [], entryConditions = [], exitConditions = [], ...rest } = manifest;
  const entry = readRows(entryConditions, form, 'entry');
  const exit = readRows(exitConditions, form, 'exit');
  if (entry === null || exit === null || !isTexts(universe)) return null;
  return { texts: toTexts(form.fields, rest), universe, entry, exit, more: pickMore(form.fields, rest) };
}

/** True if it has one of the sections that only the declarative form has. */
export const isDeclarative = (manifest: Members): boolean =>
  typeof manifest['strategy'] === 'object' ||
  ['agent', 'capital_allocation', 'risk_guardrails', 'execution'].some((name) => name in manifest);

function readRows(list: unknown, form: ManifestForm, side: Side): readonly RuleRow[] | null {
  if (!Array.isArray(list)) return null;
  const rows: RuleRow[] = [];
  for (const found of list) {
    if (typeof found !== 'object' || found === null || typeof (found as Members)['type'] !== 'string') return null;
    const { type, ...members } = found as Members & { type: string };
    const { fields } = conditionForm(form, side, type);
    rows.push({ type, texts: toTexts(fields, members), more: pickMore(fields, members) });
  }
  return rows;
}

function readValues(fields: readonly Field[], texts: Texts): Members {
  const given = fields.flatMap((field) => {
    const text = texts[field.name] ?? '';
    return text.length === 0 ? [] : [[field.name, parseField(field, text)] as const];
  });
  return Object.fromEntries(given);
}

/** Parses a field's text. Text that is not a number is sent unchanged, so the service can report it. Money stays a text. */
function parseField({ kind }: Field, text: string | readonly string[]): unknown {
  if (typeof text !== 'string') return text;
  if (kind === 'number' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return kind === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text;
}

const toTexts = (fields: readonly Field[], members: Members): Texts =>
  Object.fromEntries(fields.map((field) => [field.name, toText(field, members[field.name]) ?? (field.kind === 'choices' ? [] : '')]));

/** Returns a field's text, or null if no field of its kind can show the value. */
function toText({ kind }: Field, value: unknown): string | readonly string[] | null {
  if (kind === 'choices') return isTexts(value) ? value : null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return kind === 'number' || kind === 'decimal' ? String(value) : null;
  return typeof value === 'boolean' && kind === 'boolean' ? String(value) : null;
}

/** Returns the members that no field shows, unchanged. */
function pickMore(fields: readonly Field[], members: Members): Members {
  const isShown = ([name, value]: readonly [string, unknown]): boolean =>
    fields.some((field) => field.name === name && toText(field, value) !== null);
  return Object.fromEntries(Object.entries(members).filter((member) => !isShown(member)));
}

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');

/** Converts a stored manifest to the payload form. */
export function toPayload(stored: Members): Members {
  const { schemaVersion: _, universe, entry, exit, strategy, ...rest } = stored;
  const keys = (universe as readonly { readonly key: string; readonly kind: string }[]).map(({ key, kind }) => `${key}:${kind}`);
  const outside = strategy as { readonly kind: string; readonly release: string } | undefined;
  return {
    ...rest,
    universe: keys,
    entryConditions: entry,
    exitConditions: exit,
    ...(outside === undefined ? {} : { strategy: outside.kind, release: outside.release }),
  };
}

export function moved<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const item = items[from];
  if (item === undefined || to < 0 || to >= items.length) return items;
  const rest = items.toSpliced(from, 1);
  return rest.toSpliced(to, 0, item);
}
