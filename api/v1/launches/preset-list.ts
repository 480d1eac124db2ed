/** GET /v1/launches/dbc/presets: the presets of bonding-curve launches. */
import { Type } from 'typebox';
import { DBC_PRESETS, type LaunchPreset } from '../../../src/domain/launch/presets.ts';
import { defineRoute } from '../../route.ts';
import { choice } from '../../shapes.ts';
import { PresetWord } from './launch-body.ts';

const PresetBody = Type.Object(
  {
    key: PresetWord,
    graduationMultiple: Type.Number({ description: 'Fully diluted value at graduation, as a multiple of the one at the start.' }),
    antiSniperFee: Type.Object({
      startBps: Type.Integer(),
      endBps: Type.Integer(),
      decay: choice(['linear', 'exponential']),
      durationSeconds: Type.Integer(),
      periods: Type.Integer(),
    }),
    creatorFeeSharePct: Type.Number({ description: "Creator's percentage of each trading fee, after the protocol's part." }),
    lockedVesting: Type.Object({
      supplyPct: Type.Number(),
      durationSeconds: Type.Integer({ description: 'After graduation.' }),
    }),
    migratedPool: Type.Object({ feeBps: Type.Integer(), dynamicFee: Type.Boolean() }),
  },
  { $id: 'LaunchPreset' },
);

function presetBody({ vesting, ...preset }: LaunchPreset) {
  return { ...preset, lockedVesting: { supplyPct: vesting.supplyPct, durationSeconds: vesting.durationSeconds } };
}

export const listPresets = defineRoute({
  method: 'GET',
  url: '/v1/launches/dbc/presets',
  name: 'listLaunchPresets',
  tag: 'launches',
  summary: 'The presets of bonding-curve launches',
  permission: 'market:read',
  cost: 'read',
  schema: {},
  answers: { 200: { description: 'All of them.', schema: Type.Object({ items: Type.Array(PresetBody) }) } },
  refusals: [],
  handle: () => () => ({ items: DBC_PRESETS.map(presetBody) }),
});
