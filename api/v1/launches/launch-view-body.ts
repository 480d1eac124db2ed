/** A launch on the wire. */
import { type Static, Type } from 'typebox';
import type { LaunchView } from '../../../actors/launch/commands.ts';
import { CURVE_LAUNCH_STATES } from '../../../src/domain/launch/launch-state.ts';
import { LAUNCHER_LAUNCH_STATES, type LauncherLaunchView } from '../../../src/domain/launch/launcher.ts';
import type { EpochMs } from '../../../src/domain/time.ts';
import { curveLaunchProgress, launcherLaunchProgress } from '../../../src/domain/work-progress.ts';
import { choice, DecimalText, IdText, nullable, objectOf, Time } from '../../shapes.ts';
import { WORK_FIELDS } from '../../work-fields.ts';
import { PresetWord } from './launch-body.ts';
import { fillPctOf } from './curve-state.ts';

export const LaunchPath = objectOf({ id: IdText });

const timeOf = (at: number): string => new Date(at).toISOString();

const NullableTime = Type.Unsafe<string | null>({ ...Time, type: ['string', 'null'] });

export const LaunchBody = Type.Object(
  {
    id: IdText,
    kind: choice(['curve']),
    state: choice(CURVE_LAUNCH_STATES),
    reason: nullable('string'),
    detail: nullable('string'),
    preset: PresetWord,
    mint: Type.String(),
    config: Type.String(),
    pool: Type.String(),
    name: Type.String(),
    symbol: Type.String(),
    uri: Type.String(),
    creator: Type.String(),
    partner: Type.String({ description: "Wallet that owns the partner's part of the fees." }),
    quoteMint: Type.String(),
    quoteSymbol: Type.String(),
    startingFdv: DecimalText,
    totalSupply: DecimalText,
    decimals: Type.Integer(),
    pairedStock: nullable('string', 'The tokenized share that it is quoted in; null for every other quote.'),
    agentId: nullable('string'),
    takeId: nullable('string'),
    signatures: Type.Array(Type.String(), { description: 'Signatures of its transactions, in order. Empty before they are submitted.' }),
    preparedBy: Type.String(),
    submittedBy: nullable('string'),
    tradingSince: NullableTime,
    createdAt: Time,
    changedAt: Time,
    ...WORK_FIELDS,
  },
  { $id: 'Launch' },
);

export const LauncherLaunchBody = Type.Object(
  {
    id: IdText,
    kind: choice(['launcher']),
    state: choice(LAUNCHER_LAUNCH_STATES, '`failed_paid`: paid, and the launcher declines; `detail` says what the payer can do.'),
    reason: nullable('string'),
    detail: nullable('string'),
    mint: nullable('string', 'Null until it is launched.'),
    name: Type.String(),
    symbol: Type.String(),
    description: Type.String(),
    imageUrl: Type.String(),
    creator: Type.String({ description: 'The wallet that pays.' }),
    quoteMint: Type.String(),
    quoteSymbol: Type.String(),
    pairedStock: Type.String(),
    creatorFeeBps: Type.Integer(),
    agentId: IdText,
    lamports: Type.String({ description: 'Exactly what is paid, in lamports.' }),
    payTo: Type.String(),
    validUntil: Time,
    launchTransaction: nullable('string', "The launcher's own transaction."),
    signatures: Type.Array(Type.String(), { description: 'Signatures of the payment. Empty before it is submitted.' }),
    preparedBy: Type.String(),
    submittedBy: nullable('string'),
    createdAt: Time,
    changedAt: Time,
    ...WORK_FIELDS,
  },
  { $id: 'LauncherLaunch' },
);

/** A launch of either kind: `kind` tells which. */
export const AnyLaunchBody = Type.Union([LaunchBody, LauncherLaunchBody]);

export function launcherLaunchBody(launch: LauncherLaunchView, at: EpochMs): Static<typeof LauncherLaunchBody> {
  const { signatures, validUntil, createdAt, changedAt, ...plain } = launch;
  return {
    ...plain,
    signatures: [...signatures],
    validUntil: timeOf(validUntil),
    createdAt: timeOf(createdAt),
    changedAt: timeOf(changedAt),
    ...launcherLaunchProgress(plain.state, validUntil, at),
  };
}

export function anyLaunchBody(launch: LaunchView | LauncherLaunchView, at: EpochMs): Static<typeof AnyLaunchBody> {
  return launch.kind === 'curve' ? launchBody(launch, at) : launcherLaunchBody(launch, at);
}

export function launchBody(launch: LaunchView, at: EpochMs): Static<typeof LaunchBody> {
  const { standing, quoteDecimals: _, quoteProgram: __, tradingSince, createdAt, changedAt, preset, ...plain } = launch;
  return {
    ...plain,
    preset: preset as Static<typeof PresetWord>,
    signatures: [...plain.signatures],
    tradingSince: tradingSince === null ? null : timeOf(tradingSince),
    createdAt: timeOf(createdAt),
    changedAt: timeOf(changedAt),
    ...curveLaunchProgress(plain.state, standing === null ? null : Number(fillPctOf(standing)), at),
  };
}
