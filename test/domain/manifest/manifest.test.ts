/** Both authored forms give one canonical manifest with one hash, and an invalid one is explained completely. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../../src/domain/values/canonical-json.ts';
import { manifestDeclarativeSchema, renderDeclarative } from '../../../src/domain/manifest/declarative-form.ts';
import { type Manifest, manifestHash } from '../../../src/domain/manifest/manifest.ts';
import { manifestPayloadSchema, renderPayload } from '../../../src/domain/manifest/payload-form.ts';
import { draftProblems, readManifest } from '../../../src/domain/manifest/reader.ts';
import { anyPayload, DECLARATIVE_AS_PAYLOAD, DECLARATIVE_YAML, payload } from '../authored.ts';

function read(value: unknown): Manifest {
  const result = readManifest(value);
  if (!result.ok) throw new Error(JSON.stringify(result.problems, null, 1));
  return result.manifest;
}

const hashOf = (value: unknown): string => manifestHash(read(value));
const problemsOf = (value: unknown) => {
  const result = readManifest(value);
  return result.ok ? [] : result.problems;
};
const declarative = (): Record<string, Record<string, unknown>> => load(DECLARATIVE_YAML) as Record<string, Record<string, unknown>>;

describe('one strategy, one hash', () => {
  test('in either form, as YAML or JSON, in any order of members', () => {
    const fromYaml = hashOf(declarative());
    expect(hashOf(JSON.parse(JSON.stringify(declarative())))).toBe(fromYaml);
    expect(hashOf(DECLARATIVE_AS_PAYLOAD)).toBe(fromYaml);
    expect(canonicalJson(read(DECLARATIVE_AS_PAYLOAD) as never)).toBe(canonicalJson(read(declarative()) as never));
  });

  test('the hash of a known manifest never changes: stored evidence is tied to it', () => {
    // Computed without this engine (Python: json.dumps with sorted keys, hashlib.sha256) from the canonical form written by hand.
    expect(hashOf(payload())).toBe('d5777943349460f56de0954958de9c5f41e92896ed9a61abbc754a2ea517fd2e');
  });

  test('id, autonomy and stage are requests beside the manifest, outside its hash', () => {
    const result = readManifest(declarative());
    expect(result).toMatchObject({ ok: true, requestedAutonomy: 'confirm', requestedStage: 'paper', agentKey: 'btc-momentum' });
    const other = declarative();
    other['agent'] = { ...other['agent'], id: 'x', autonomy_level: 'EMERGENCY_RISK_ONLY', lifecycle_stage: 'LIVE' };
    expect(readManifest(other)).toMatchObject({ requestedAutonomy: 'risk_only', requestedStage: 'live', agentKey: 'x' });
    expect(hashOf(other)).toBe(hashOf(declarative()));
    expect(readManifest(payload())).toMatchObject({ requestedAutonomy: null, requestedStage: null, agentKey: null });
  });

  test('money is the same as a number or as a decimal string in any spelling', () => {
    const as = (maxCapitalUsd: unknown) => hashOf(payload({ maxCapitalUsd }));
    expect(as('50000.00')).toBe(as(50000));
    expect(as('050000')).toBe(as(50000));
    expect(read(payload({ maxTradeNotionalUsd: 0.1 })).maxTradeNotionalUsd).toBe('0.1');
  });

  test('an omitted field equals its default', () => {
    const said = payload({
      description: '',
      maxLeverage: '1',
      killSwitchAction: 'cancel_all_and_halt',
      algorithm: 'smart_order_routing_maker_first',
      urgency: 'medium',
    });
    expect(hashOf(said)).toBe(hashOf(payload()));
  });

  test('reading what either form renders yields the same hash', () => {
    fc.assert(
      fc.property(anyPayload, (authored) => {
        const manifest = read(authored);
        const hash = manifestHash(manifest);
        expect(hashOf(JSON.parse(JSON.stringify(renderPayload(manifest))))).toBe(hash);
        expect(hashOf(JSON.parse(JSON.stringify(renderDeclarative(manifest))))).toBe(hash);
        expect(read(renderPayload(manifest))).toEqual(manifest);
      }),
    );
  });

  test('a condition on bars uses the manifest’s timeframe, on either side, unless it names its own', () => {
    const manifest = read(
      payload({
        timeframe: '4h',
        entryConditions: [
          { type: 'rsi_below', period: 14, value: 30, timeframe: '15m' },
          { type: 'rsi_below', period: 14, value: 30 },
        ],
      }),
    );
    expect(manifest.entry.map((one) => one['timeframe'])).toEqual(['15m', '4h']);
    expect(manifest.exit[1]).toEqual({ type: 'rsi_above', period: 14, value: 70, timeframe: '4h' });
  });

  test('control state survives the declarative form', () => {
    const control = { requestedAutonomy: 'policy_auto', requestedStage: 'shadow', agentKey: 'k' } as const;
    expect(readManifest(renderDeclarative(read(payload()), control))).toMatchObject(control);
  });
});

describe('any change of a parameter changes the hash', () => {
  test.each<[string, Record<string, unknown>]>([
    ['name', { name: 'Discount hunter 2' }],
    ['description', { description: 'x' }],
    ['universe', { universe: ['AAPLx'] }],
    ['universe order', { universe: ['TSLAx', 'AAPLx'] }],
    ['timeframe', { timeframe: '2h' }],
    ['entry conditions', { entryConditions: [] }],
    ['an entry field', { entryConditions: [{ type: 'premium_below', pct: -1.6 }] }],
    ['exit conditions', { exitConditions: [{ type: 'premium_above', pct: 0.5 }] }],
    ['maxCapitalUsd', { maxCapitalUsd: 50000.01 }],
    ['maxTradeNotionalUsd', { maxTradeNotionalUsd: 2500 }],
    ['maxLeverage', { maxLeverage: '1.5' }],
    ['stopLossPct', { stopLossPct: 4.1 }],
    ['takeProfitPct', { takeProfitPct: 9.1 }],
    ['maxDailyDrawdownPct', { maxDailyDrawdownPct: 3.1 }],
    ['maxOpenPositions', { maxOpenPositions: 4 }],
    ['maxSlippageBps', { maxSlippageBps: 41 }],
    ['killSwitchAction', { killSwitchAction: 'halt_only' }],
    ['algorithm', { algorithm: 'twap' }],
    ['urgency', { urgency: 'high' }],
  ])('%s', (_, change) => {
    expect(hashOf(payload(change))).not.toBe(hashOf(payload()));
  });

  test('of two arbitrary manifests that differ in any member, the hashes differ', () => {
    fc.assert(
      fc.property(anyPayload, anyPayload, fc.nat(), (one, other, pick) => {
        const manifest = read(one);
        const names = Object.keys(manifest) as (keyof Manifest)[];
        const name = names[pick % names.length] as keyof Manifest;
        const changed = { ...manifest, [name]: read(other)[name] };
        const same = canonicalJson(manifest[name] as never) === canonicalJson(changed[name] as never);
        expect(manifestHash(changed) === manifestHash(manifest)).toBe(same);
      }),
    );
  });
});

describe('factors', () => {
  const withFactors = (factors: unknown[], timeframes = ['1h']) => {
    const value = declarative();
    value['strategy'] = { ...value['strategy'], timeframes, factors };
    return value;
  };

  test.each<[unknown, unknown[], unknown[]]>([
    [
      { name: 'ema_cross', parameters: { fast: 9, slow: 21 } },
      [{ type: 'ema_cross_up', fast: 9, slow: 21, timeframe: '1h' }],
      [{ type: 'ema_cross_down', fast: 9, slow: 21, timeframe: '1h' }],
    ],
    [
      { name: 'funding_percentile', parameters: { window_days: 7, max_percentile: 60, exit_percentile: 95 } },
      [{ type: 'funding_percentile_below', windowDays: 7, percentile: 60 }],
      [{ type: 'funding_percentile_above', windowDays: 7, percentile: 95 }],
    ],
    [
      { name: 'rsi' },
      [{ type: 'rsi_below', period: 14, value: 30, timeframe: '1h' }],
      [{ type: 'rsi_above', period: 14, value: 70, timeframe: '1h' }],
    ],
    [
      { name: 'premium', parameters: { max_pct: -2, exit_pct: 0 } },
      [{ type: 'premium_below', pct: -2 }],
      [{ type: 'premium_above', pct: 0 }],
    ],
    [{ name: 'gap_to_mark', parameters: { max_pct: -15 } }, [{ type: 'gap_to_mark_below', pct: -15 }], []],
    [{ name: 'basis', parameters: { max_pct: 0.1, exit_pct: 1 } }, [{ type: 'basis_below', pct: 0.1 }], [{ type: 'basis_above', pct: 1 }]],
    [{ name: 'volatility', parameters: { max_pct: 50 } }, [{ type: 'volatility_below', period: 20, pct: 50, timeframe: '1h' }], []],
    [
      { name: 'event_sentiment', parameters: { min_severity: 'medium' } },
      [{ type: 'no_negative_event', minSeverity: 'medium', lookbackHours: 24, includeRumors: false }],
      [{ type: 'negative_event', minSeverity: 'medium', lookbackHours: 24, includeRumors: false }],
    ],
  ])('%j', (factor, entry, exit) => {
    const manifest = read(withFactors([factor]));
    expect(manifest.entry).toEqual(entry);
    expect(manifest.exit).toEqual(exit);
  });

  test('a factor on bars requires every timeframe to agree, and uses its own if it names one', () => {
    const manifest = read(
      withFactors([{ name: 'rsi' }, { name: 'ema_cross', parameters: { fast: 2, slow: 3, timeframe: '4h' } }], ['5m', '1h']),
    );
    expect(manifest.timeframe).toBe('5m');
    expect(manifest.entry.map(({ type, timeframe }) => `${type}@${String(timeframe)}`)).toEqual([
      'rsi_below@5m',
      'rsi_below@1h',
      'ema_cross_up@4h',
    ]);
    expect(manifest.exit.map(({ type, timeframe }) => `${type}@${String(timeframe)}`)).toEqual(['rsi_above@5m', 'ema_cross_down@4h']);
  });

  test('a listed timeframe that no rule reads is refused, because changing it would change nothing', () => {
    const problems = problemsOf(withFactors([{ name: 'premium', parameters: { max_pct: -1 } }], ['1h', '4h']));
    expect(problems).toEqual([
      { path: '$.strategy.timeframes[1]', problem: 'no factor or condition uses 4h', allowed: 'the timeframes that are used' },
    ]);
  });

  test.each<[unknown, string, string]>([
    [{ name: 'ema_crss' }, '$.strategy.factors[0].name', 'did you mean ema_cross?'],
    [{ parameters: {} }, '$.strategy.factors[0].name', 'is missing'],
    [{ name: 'rsi', params: {} }, '$.strategy.factors[0].params', 'unknown field'],
    [{ name: 'rsi', parameters: 3 }, '$.strategy.factors[0].parameters', 'must be an object, got the number 3'],
    [{ name: 'rsi', parameters: { perid: 3 } }, '$.strategy.factors[0].parameters.perid', 'did you mean period?'],
    [{ name: 'premium' }, '$.strategy.factors[0].parameters.max_pct', 'is missing'],
    [{ name: 'ema_cross', parameters: { fast: 30, slow: 20 } }, '$.strategy.factors[0].parameters.fast', 'fast must be less than slow'],
    ['rsi', '$.strategy.factors[0]', 'must be a factor object'],
  ])('%j is explained at %s', (factor, path, problem) => {
    const problems = problemsOf(withFactors([factor]));
    expect(problems.map((one) => one.path)).toEqual([path]);
    expect(problems[0]?.problem).toContain(problem);
  });
});

describe('what an author is told', () => {
  test('all problems of a payload at once, each with its path', () => {
    const problems = problemsOf(
      payload({
        name: '',
        universe: ['AAPLX', 'TSLAx', 'TSLAx', 5],
        timeframe: 'hourly',
        entryConditions: [{ type: 'rsi_below', period: 14 }, { type: 'nonsense' }],
        exitConditions: 'none',
        maxCapitalUsd: -1,
        stopLossPct: Number.NaN,
        maxOpenPositions: 1.5,
        urgency: 'asap',
        stopLoss: 3,
      }),
    );
    expect(problems.map((problem) => problem.path).sort()).toEqual([
      '$.entryConditions[0].value',
      '$.entryConditions[1].type',
      '$.exitConditions',
      '$.maxCapitalUsd',
      '$.maxOpenPositions',
      '$.name',
      '$.stopLoss',
      '$.stopLossPct',
      '$.timeframe',
      '$.universe[0]',
      '$.universe[2]',
      '$.universe[3]',
      '$.urgency',
    ]);
    for (const problem of problems) {
      expect(problem.problem).not.toBe('');
      expect(problem.allowed).not.toBe('');
    }
  });

  test('every missing field of an almost empty declarative manifest', () => {
    expect(problemsOf({ agent: {} }).map((problem) => problem.path)).toEqual([
      '$.version',
      '$.agent.name',
      '$.capital_allocation.max_capital_usd',
      '$.capital_allocation.max_trade_notional_usd',
      '$.risk_guardrails.max_daily_drawdown_pct',
      '$.risk_guardrails.stop_loss_pct',
      '$.risk_guardrails.take_profit_pct',
      '$.risk_guardrails.max_open_positions',
      '$.execution.max_slippage_bps',
      '$.strategy.universe',
      '$.strategy.timeframes',
      '$.strategy.factors',
    ]);
  });

  test.each([[null], [undefined], [[]], ['text'], [7], [true]])('%j is not a manifest', (value) => {
    expect(problemsOf(value)[0]?.path).toBe('$');
  });

  test.each<[string, (value: ReturnType<typeof declarative>) => void, string, string]>([
    ['a version of another schema', (value) => Object.assign(value, { version: '2.0' }), '$.version', '"1"'],
    ['a version that YAML made a number', (value) => Object.assign(value, { version: 1.0 }), '$.version', 'a text'],
    ['an unknown section', (value) => Object.assign(value, { risk: {} }), '$.risk', 'risk_guardrails'],
    ['a section that is not an object', (value) => Object.assign(value, { execution: [] }), '$.execution', 'an object'],
    [
      'an unknown autonomy',
      (value) => Object.assign(value['agent'] ?? {}, { autonomy_level: 'YOLO' }),
      '$.agent.autonomy_level',
      'CONFIRM',
    ],
    ['a misspelt stage', (value) => Object.assign(value['agent'] ?? {}, { lifecycle_stage: 'PAPR' }), '$.agent.lifecycle_stage', 'PAPER'],
    ['no timeframe', (value) => Object.assign(value['strategy'] ?? {}, { timeframes: [] }), '$.strategy.timeframes', 'at least one'],
    [
      'a repeated timeframe',
      (value) => Object.assign(value['strategy'] ?? {}, { timeframes: ['1h', '60m'] }),
      '$.strategy.timeframes[1]',
      'once',
    ],
  ])('%s', (_, spoil, path, allowed) => {
    const value = declarative();
    spoil(value);
    const problem = problemsOf(value).find((one) => one.path === path);
    expect(problem?.allowed).toContain(allowed);
  });

  test('a text that cannot be encoded is refused, not hashed', () => {
    expect(problemsOf(payload({ name: 'a\ud800' }))[0]).toMatchObject({ path: '$.name' });
  });

  test('a name of spaces only is missing', () => {
    expect(problemsOf(payload({ name: ' \t ' }))).toEqual([
      { path: '$.name', problem: 'has only spaces', allowed: 'a text of 1 to 120 visible characters, not only spaces' },
    ]);
  });

  test('a number whose digits the parser lost is refused as money', () => {
    expect(problemsOf(payload({ maxCapitalUsd: 12345678901.123457 }))[0]).toEqual({
      path: '$.maxCapitalUsd',
      problem: 'the number 12345678901.123457 has more digits than a JSON number keeps; write it as a text',
      allowed: 'a decimal such as "1250.50" from 0 to 1000000000000',
    });
    expect(read(payload({ maxCapitalUsd: '12345678901.123457' })).maxCapitalUsd).toBe('12345678901.123457');
  });

  test('members that JSON.parse leaves on an object are ordinary fields', () => {
    expect(problemsOf(JSON.parse(`{"__proto__": {"name": "x"}, "constructor": 1}`)).map((one) => one.path)).toEqual(
      expect.arrayContaining(['$.__proto__', '$.constructor', '$.name']),
    );
  });

  test('no invalid manifest makes the reader throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.anything(), fc.record({ strategy: fc.anything(), agent: fc.anything(), version: fc.anything() })),
        (value) => {
          expect(problemsOf(value).length).toBeGreaterThan(0);
        },
      ),
    );
  });

  test('a payload with any one member spoiled is refused at that member', () => {
    fc.assert(
      fc.property(anyPayload, fc.nat(), fc.constantFrom(null, {}, [[]], Number.NaN), (authored, pick, wrong) => {
        const names = Object.keys(authored);
        const name = names[pick % names.length] as string;
        const paths = problemsOf({ ...authored, [name]: wrong }).map((problem) => problem.path);
        expect(paths.length).toBeGreaterThan(0);
        expect(paths.every((path) => path.startsWith(`$.${name}`))).toBe(true);
      }),
    );
  });
});

describe('the published JSON schemas', () => {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
  const validPayload = ajv.compile(manifestPayloadSchema);
  const validDeclarative = ajv.compile(manifestDeclarativeSchema);

  test('accept what the reader accepts', () => {
    fc.assert(
      fc.property(anyPayload, (authored) => {
        const manifest = read(authored);
        expect(validPayload(authored), JSON.stringify(validPayload.errors)).toBe(true);
        expect(validPayload(renderPayload(manifest))).toBe(true);
        expect(validDeclarative(renderDeclarative(manifest)), JSON.stringify(validDeclarative.errors)).toBe(true);
      }),
    );
    expect(validDeclarative(declarative())).toBe(true);
  });

  test('refuse unknown fields, types and factors', () => {
    expect(validPayload(payload({ extra: 1 }))).toBe(false);
    expect(validPayload(payload({ entryConditions: [{ type: 'nonsense' }] }))).toBe(false);
    expect(validPayload(payload({ entryConditions: [{ type: 'premium_below', pct: 1, x: 1 }] }))).toBe(false);
    expect(validDeclarative({ ...declarative(), extra: 1 })).toBe(false);
  });
});

describe('the draft gate', () => {
  test('a complete manifest may leave draft', () => {
    expect(draftProblems(read(payload()))).toEqual([]);
    expect(draftProblems(read(declarative()))).toEqual([]);
  });

  test.each<[Record<string, unknown>, string]>([
    [{ universe: [] }, '$.universe'],
    [{ entryConditions: [] }, '$.entry'],
    [{ entryConditions: [{ type: 'gap_to_mark_below', pct: -5 }] }, '$.entry[0]'],
    [{ stopLossPct: 0 }, '$.stopLossPct'],
    [{ stopLossPct: 100 }, '$.stopLossPct'],
    [{ takeProfitPct: 0 }, '$.takeProfitPct'],
    [{ maxDailyDrawdownPct: 0 }, '$.maxDailyDrawdownPct'],
    [{ maxTradeNotionalUsd: 0 }, '$.maxTradeNotionalUsd'],
    [{ maxTradeNotionalUsd: 50000.01 }, '$.maxTradeNotionalUsd'],
    [{ maxLeverage: '0.5' }, '$.maxLeverage'],
    [{ maxOpenPositions: 0 }, '$.maxOpenPositions'],
  ])('%j blocks it at %s', (change, path) => {
    expect(draftProblems(read(payload(change))).map((problem) => problem.path)).toEqual([path]);
  });

  test('leverage increases the maximum trade', () => {
    expect(draftProblems(read(payload({ maxTradeNotionalUsd: 100000, maxLeverage: '2' })))).toEqual([]);
  });

  test('missing capital is a problem of its own', () => {
    expect(draftProblems(read(payload({ maxCapitalUsd: 0 }))).map((problem) => problem.path)).toContain('$.maxCapitalUsd');
  });
});
