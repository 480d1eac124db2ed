/** A launch on the wire. */
import { type Static, Type } from 'typebox';
import type { LaunchView } from '../../../actors/launch/commands.ts';
import { CURVE_LAUNCH_STATES } from '../../../src/domain/launch/launch-state.ts';
import { LAUNCHER_LAUNCH_STATES, type LauncherLaunchView } from '../../../src/domain/launch/launcher.ts';
import { choice, DecimalText, IdText, nullable, objectOf, Time } from '../../shapes.ts';
import { PresetWord } from './launch-body.ts';

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
    partner: Type.String({ description: "Whose the partner's part of the fees is." }),
    quoteMint: Type.String(),
    quoteSymbol: Type.String(),
    startingFdv: DecimalText,
    totalSupply: DecimalText,
    decimals: Type.Integer(),
    pairedStock: nullable('string', 'The tokenized share that it is quoted in; null for every other quote.'),
    agentId: nullable('string'),
    takeId: nullable('string'),
    signatures: Type.Array(Type.String(), { description: 'Of its transactions, in order; none before they were handed in.' }),
    preparedBy: Type.String(),
    submittedBy: nullable('string'),
    tradingSince: NullableTime,
    createdAt: Time,
    changedAt: Time,
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
    signatures: Type.Array(Type.String(), { description: 'Of the payment; none before it was handed in.' }),
    preparedBy: Type.String(),
    submittedBy: nullable('string'),
    createdAt: Time,
    changedAt: Time,
  },
  { $id: 'LauncherLaunch' },
);

/** A launch of either kind: `kind` tells which. */
export const AnyLaunchBody = Type.Union([LaunchBody, LauncherLaunchBody]);

export function launcherLaunchBody(launch: LauncherLaunchView): Static<typeof LauncherLaunchBody> {
  const { signatures, validUntil, createdAt, changedAt, ...plain } = launch;
  return {
    ...plain,
    signatures: [...signatures],
    validUntil: timeOf(validUntil),
    createdAt: timeOf(createdAt),
    changedAt: timeOf(changedAt),
  };
}

export function anyLaunchBody(launch: LaunchView | LauncherLaunchView): Static<typeof AnyLaunchBody> {
  return launch.kind === 'curve' ? launchBody(launch) : launcherLaunchBody(launch);
}

export function launchBody(launch: LaunchView): Static<typeof LaunchBody> {
  const { standing: _, quoteDecimals: __, quoteProgram: ___, tradingSince, createdAt, changedAt, preset, ...plain } = launch;
  return {
    ...plain,
    preset: preset as Static<typeof PresetWord>,
    signatures: [...plain.signatures],
    tradingSince: tradingSince === null ? null : timeOf(tradingSince),
    createdAt: timeOf(createdAt),
    changedAt: timeOf(changedAt),
  };
}
