/** Presets of bonding-curve launches: graduation multiple, early trading fees, and shares. */

export const PRESET_KEYS = ['reference_anchored', 'price_discovery', 'agent_treasury'] as const;
export type PresetKey = (typeof PRESET_KEYS)[number];

/** A fee that falls from a start to an end in equal time steps. */
export interface AntiSniperFee {
  readonly startBps: number;
  readonly endBps: number;
  readonly decay: 'linear' | 'exponential';
  readonly durationSeconds: number;
  readonly periods: number;
}

export interface LaunchPreset {
  readonly key: PresetKey;
  /** Fully diluted value at graduation as a multiple of the one at the start. */
  readonly graduationMultiple: number;
  readonly antiSniperFee: AntiSniperFee;
  /** Creator's share of the trading fee after the protocol's share, in percent. */
  readonly creatorFeeSharePct: number;
  /** Part of the supply locked for the creator, in percent, and its vesting after graduation. */
  readonly vesting: { readonly supplyPct: number; readonly durationSeconds: number; readonly periods: number };
  /** Fee of the successor pool. Its dynamic fee is added. */
  readonly migratedPool: { readonly feeBps: number; readonly dynamicFee: boolean };
}

const DAY_SECONDS = 86_400;
const NO_VESTING = { supplyPct: 0, durationSeconds: 0, periods: 0 } as const;

/** Presets in the order of their list. */
export const DBC_PRESETS: readonly LaunchPreset[] = [
  {
    key: 'reference_anchored',
    graduationMultiple: 4,
    antiSniperFee: { startBps: 500, endBps: 100, decay: 'exponential', durationSeconds: 1_800, periods: 30 },
    creatorFeeSharePct: 50,
    vesting: NO_VESTING,
    migratedPool: { feeBps: 30, dynamicFee: true },
  },
  {
    key: 'price_discovery',
    graduationMultiple: 25,
    antiSniperFee: { startBps: 300, endBps: 100, decay: 'linear', durationSeconds: 3_600, periods: 20 },
    creatorFeeSharePct: 50,
    vesting: NO_VESTING,
    migratedPool: { feeBps: 100, dynamicFee: true },
  },
  {
    key: 'agent_treasury',
    graduationMultiple: 10,
    antiSniperFee: { startBps: 400, endBps: 100, decay: 'exponential', durationSeconds: 2_400, periods: 24 },
    creatorFeeSharePct: 75,
    vesting: { supplyPct: 10, durationSeconds: 180 * DAY_SECONDS, periods: 180 },
    migratedPool: { feeBps: 30, dynamicFee: true },
  },
];

export function findPreset(key: PresetKey): LaunchPreset {
  const found = DBC_PRESETS.find((preset) => preset.key === key);
  if (found === undefined) throw new Error(`there is no preset ${key}`);
  return found;
}
