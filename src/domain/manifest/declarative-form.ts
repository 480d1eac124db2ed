/** The declarative form of a manifest: sections in snake_case, authored as YAML or JSON. */
import { AUTONOMY_IDENTIFIERS, AUTONOMY_LEVELS, type Autonomy, STAGES, type Stage } from '../agents/agent.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { conditionJsonSchema, readCondition } from '../conditions/index.ts';
import { factorJsonSchema, readFactor } from '../factors/index.ts';
import {
  canonicalTimeframe,
  describeField,
  describeValue,
  type FieldSchema,
  type Fields,
  type FieldValue,
  isObject,
  type JsonSchema,
  objectJsonSchema,
  type Problem,
  readFields,
  refuseUnknown,
} from '../values/field.ts';
import {
  canonicalManifest,
  EXTERNAL_FIELDS,
  fieldsAs,
  MANIFEST_SCHEMA_VERSION,
  MAX_CONDITIONS,
  MAX_UNIVERSE,
  type PlainField,
  readConditions,
  readExternal,
  readList,
  readUniverse,
} from './limits.ts';
import type { Manifest, ManifestCondition } from './manifest.ts';
import type { ReadManifest } from './reader.ts';

const MAX_TIMEFRAMES = 8;
const MAX_FACTORS = 16;
/** Both spellings are accepted. The form's own is upper case. */
const AUTONOMY_WORDS = [...Object.keys(AUTONOMY_IDENTIFIERS), ...AUTONOMY_LEVELS];
const STAGE_WORDS = [...STAGES.map((stage) => stage.toUpperCase()), ...STAGES];

/** Control state that a declarative manifest may request. Not part of the hash (see `ReadManifest`). */
const CONTROL_FIELDS: Fields = {
  id: { type: 'string', minLength: 1, maxLength: 120, optional: true, description: "The author's own name of the agent; not hashed." },
  autonomy_level: {
    type: 'choice',
    choices: AUTONOMY_WORDS,
    optional: true,
    description: 'Requested autonomy; not hashed.',
  },
  lifecycle_stage: {
    type: 'choice',
    choices: STAGE_WORDS,
    optional: true,
    description: 'Requested stage; not hashed, and reached through the gates only.',
  },
};

/** Plain fields by section and name. */
const SECTIONS: Readonly<Record<string, Readonly<Record<string, PlainField>>>> = {
  agent: { name: 'name', description: 'description' },
  capital_allocation: { max_capital_usd: 'maxCapitalUsd', max_trade_notional_usd: 'maxTradeNotionalUsd', max_leverage: 'maxLeverage' },
  risk_guardrails: {
    max_daily_drawdown_pct: 'maxDailyDrawdownPct',
    stop_loss_pct: 'stopLossPct',
    take_profit_pct: 'takeProfitPct',
    max_open_positions: 'maxOpenPositions',
    kill_switch_action: 'killSwitchAction',
  },
  execution: { algorithm: 'algorithm', max_slippage_bps: 'maxSlippageBps', urgency: 'urgency' },
};

const sectionFields = (section: string): Fields => ({
  ...(section === 'agent' ? CONTROL_FIELDS : {}),
  ...fieldsAs(SECTIONS[section] as Record<string, PlainField>),
});

/** Fields of every section except `strategy`, which contains lists. */
const MANIFEST_DECLARATIVE_FIELDS: Readonly<Record<string, Fields>> = Object.fromEntries(
  Object.keys(SECTIONS).map((section) => [section, sectionFields(section)]),
);

const STRATEGY_LISTS = ['universe', 'timeframes', 'factors', 'entry_conditions', 'exit_conditions'] as const;
const TOP = ['version', 'strategy', ...Object.keys(SECTIONS)];
const VERSION = /^1(\.\d{1,3}){0,2}$/;
const TIMEFRAME: FieldSchema = { type: 'timeframe', description: 'Bars.' };

/** True if a value has a section that only the declarative form has. */
export function isDeclarative(value: Record<string, unknown>): boolean {
  return (
    (Object.hasOwn(value, 'strategy') && typeof value['strategy'] !== 'string') ||
    Object.keys(SECTIONS).some((section) => Object.hasOwn(value, section))
  );
}

/**
 * Reads a declarative manifest. Adds all problems and returns null if there is one. Use `readManifest`. Factors expand to conditions.
 * `strategy.entry_conditions` and `strategy.exit_conditions` (condition objects as in the payload form) follow them, for rules without a
 * factor. The first timeframe is the manifest's. A factor on bars without its own timeframe requires every listed one to agree.
 */
export function readDeclarative(value: Record<string, unknown>, catalog: Catalog, problems: Problem[]): ReadManifest | null {
  refuseUnknown(value, TOP, '$', problems);
  const version = Object.hasOwn(value, 'version') ? value['version'] : undefined;
  if (typeof version !== 'string' || !VERSION.test(version)) {
    problems.push({
      path: '$.version',
      problem: version === undefined ? 'is missing' : `${describeValue(version)} is no manifest schema version that this engine reads`,
      allowed: `a text: "${MANIFEST_SCHEMA_VERSION}", "${MANIFEST_SCHEMA_VERSION}.0" or "${MANIFEST_SCHEMA_VERSION}.0.0"`,
    });
  }
  const plain: Partial<Record<PlainField, FieldValue>> = {};
  let control: Record<string, FieldValue> = {};
  for (const [section, names] of Object.entries(SECTIONS)) {
    const fields = readFields(
      readSection(value, section, problems),
      MANIFEST_DECLARATIVE_FIELDS[section] as Fields,
      `$.${section}`,
      problems,
    );
    if (section === 'agent') control = fields;
    for (const [name, field] of Object.entries(names)) {
      const read = fields[name];
      if (read !== undefined) plain[field] = read;
    }
  }
  const strategy = readStrategy(readSection(value, 'strategy', problems), catalog, problems);
  if (problems.length > 0 || strategy === null) return null;
  return {
    ok: true,
    manifest: canonicalManifest(plain as Record<PlainField, FieldValue>, strategy),
    requestedAutonomy: parseAutonomy(control['autonomy_level']),
    requestedStage: control['lifecycle_stage'] === undefined ? null : (String(control['lifecycle_stage']).toLowerCase() as Stage),
    agentKey: control['id'] === undefined ? null : String(control['id']),
  };
}

function parseAutonomy(word: FieldValue | undefined): Autonomy | null {
  return word === undefined ? null : (AUTONOMY_IDENTIFIERS[String(word)] ?? (word as Autonomy));
}

/** Returns a section's object. A missing one is empty, so that each of its required fields is reported as missing. */
function readSection(value: Record<string, unknown>, section: string, problems: Problem[]): Record<string, unknown> {
  const found = Object.hasOwn(value, section) ? value[section] : undefined;
  if (isObject(found)) return found;
  if (found !== undefined)
    problems.push({ path: `$.${section}`, problem: `must be an object, got ${describeValue(found)}`, allowed: 'an object' });
  return {};
}

function readStrategy(
  strategy: Record<string, unknown>,
  catalog: Catalog,
  problems: Problem[],
): Pick<Manifest, 'universe' | 'timeframe' | 'entry' | 'exit' | 'strategy'> | null {
  const { kind, release } = readFields(strategy, EXTERNAL_FIELDS, '$.strategy', problems, null, STRATEGY_LISTS);
  const external = readExternal(kind, release, (field) => `$.strategy.${field}`, problems);
  const own = (name: string): unknown => (Object.hasOwn(strategy, name) ? strategy[name] : undefined);
  const universe = readUniverse(own('universe'), catalog, '$.strategy.universe', problems);
  const timeframes = readTimeframes(own('timeframes'), problems);
  const timeframe = timeframes[0] ?? null;
  const entry: ManifestCondition[] = [];
  const exit: ManifestCondition[] = [];
  const read = new Set<string>();
  readList(own('factors') ?? (external === undefined ? undefined : []), MAX_FACTORS, 'factors', '$.strategy.factors', problems).forEach(
    (factor, index) => {
      const path = `$.strategy.factors[${index}]`;
      const expansion = readFactor(factor, timeframes, path, problems);
      if (expansion === null) return;
      for (const name of expansion.timeframes) read.add(name);
      // Both sides use the same parameters, so their problems are reported once.
      const before = problems.length;
      for (const condition of expansion.entry) addTo(entry, readCondition(condition, 'entry', timeframe, `${path}.parameters`, problems));
      if (problems.length > before) return;
      for (const condition of expansion.exit) addTo(exit, readCondition(condition, 'exit', timeframe, `${path}.parameters`, problems));
    },
  );
  entry.push(...readConditions(own('entry_conditions') ?? [], 'entry', timeframe ?? '1h', '$.strategy.entry_conditions', problems));
  exit.push(...readConditions(own('exit_conditions') ?? [], 'exit', timeframe ?? '1h', '$.strategy.exit_conditions', problems));
  for (const [side, conditions] of [
    ['entry', entry],
    ['exit', exit],
  ] as const) {
    if (conditions.length > MAX_CONDITIONS) {
      problems.push({
        path: '$.strategy',
        problem: `has ${conditions.length} ${side} conditions`,
        allowed: `at most ${MAX_CONDITIONS}`,
      });
    }
  }
  for (const condition of [...entry, ...exit]) if (typeof condition['timeframe'] === 'string') read.add(condition['timeframe']);
  timeframes.forEach((name, index) => {
    // If it were silently ignored, it could be changed without a new version.
    if (index > 0 && !read.has(name)) {
      problems.push({
        path: `$.strategy.timeframes[${index}]`,
        problem: `no factor or condition uses ${name}`,
        allowed: 'the timeframes that are used',
      });
    }
  });
  if (timeframe === null) return null;
  return { universe, timeframe, entry, exit, ...(external === undefined ? {} : { strategy: external }) };
}

function addTo(conditions: ManifestCondition[], condition: ManifestCondition | null): void {
  if (condition !== null) conditions.push(condition);
}

function readTimeframes(value: unknown, problems: Problem[]): string[] {
  const path = '$.strategy.timeframes';
  const timeframes: string[] = [];
  const list = readList(value, MAX_TIMEFRAMES, 'timeframes', path, problems);
  if (Array.isArray(value) && value.length === 0) problems.push({ path, problem: 'is empty', allowed: 'at least one timeframe' });
  list.forEach((item, index) => {
    const timeframe = typeof item === 'string' ? canonicalTimeframe(item) : null;
    if (timeframe === null) {
      problems.push({
        path: `${path}[${index}]`,
        problem: `must be a timeframe, got ${describeValue(item)}`,
        allowed: describeField(TIMEFRAME),
      });
    } else if (timeframes.includes(timeframe)) {
      problems.push({ path: `${path}[${index}]`, problem: `${timeframe} is listed twice`, allowed: 'every timeframe once' });
    } else timeframes.push(timeframe);
  });
  return timeframes;
}

/** Returns the manifest in the declarative form, with rules as condition objects. Reading it again gives the same hash. */
export function renderDeclarative(
  manifest: Manifest,
  control: Partial<Pick<ReadManifest, 'requestedAutonomy' | 'requestedStage' | 'agentKey'>> = {},
): Record<string, unknown> {
  const section = (name: string): Record<string, unknown> =>
    Object.fromEntries(Object.entries(SECTIONS[name] as Record<string, PlainField>).map(([field, plain]) => [field, manifest[plain]]));
  const autonomy = Object.entries(AUTONOMY_IDENTIFIERS).find(([, level]) => level === control.requestedAutonomy)?.[0];
  return {
    version: manifest.schemaVersion,
    agent: {
      ...(control.agentKey == null ? {} : { id: control.agentKey }),
      ...section('agent'),
      ...(autonomy === undefined ? {} : { autonomy_level: autonomy }),
      ...(control.requestedStage == null ? {} : { lifecycle_stage: control.requestedStage.toUpperCase() }),
    },
    capital_allocation: section('capital_allocation'),
    strategy: {
      universe: manifest.universe.map((entry) => `${entry.key}:${entry.kind}`),
      timeframes: [manifest.timeframe],
      factors: [],
      entry_conditions: manifest.entry,
      exit_conditions: manifest.exit,
      ...manifest.strategy,
    },
    risk_guardrails: section('risk_guardrails'),
    execution: section('execution'),
  };
}

/** JSON Schema of the declarative form. `readManifest` is stricter: it also knows the catalog and checks combinations of fields. */
export const manifestDeclarativeSchema: JsonSchema = {
  type: 'object',
  description: 'Declarative agent manifest.',
  additionalProperties: false,
  required: TOP,
  properties: {
    version: { type: 'string', pattern: VERSION.source, description: 'Manifest schema version.' },
    ...Object.fromEntries(
      Object.entries(MANIFEST_DECLARATIVE_FIELDS).map(([section, fields]) => [section, objectJsonSchema(fields, `Section ${section}.`)]),
    ),
    strategy: {
      type: 'object',
      description: 'Universe and rules.',
      additionalProperties: false,
      required: ['universe', 'timeframes', 'factors'],
      properties: {
        universe: {
          type: 'array',
          items: { type: 'string' },
          maxItems: MAX_UNIVERSE,
          description: '<venue>:<pair>:<instrument kind> or symbols, in the order of evaluation.',
        },
        timeframes: {
          type: 'array',
          items: { type: 'string', pattern: '^[1-9]\\d{0,2}[mh]$' },
          minItems: 1,
          maxItems: MAX_TIMEFRAMES,
          description: 'The first is the one that trades; factors on bars ask every one to agree.',
        },
        factors: { type: 'array', items: factorJsonSchema(), maxItems: MAX_FACTORS, description: 'Named rule sets.' },
        entry_conditions: {
          type: 'array',
          items: conditionJsonSchema('entry'),
          maxItems: MAX_CONDITIONS,
          description: 'All must pass to enter.',
        },
        exit_conditions: {
          type: 'array',
          items: conditionJsonSchema('exit'),
          maxItems: MAX_CONDITIONS,
          description: 'Any one that passes exits.',
        },
        ...(objectJsonSchema(EXTERNAL_FIELDS, '')['properties'] as Record<string, JsonSchema>),
      },
    },
  },
};
