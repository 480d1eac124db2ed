/** Fields of a launch by the external launcher. */
import { Type } from 'typebox';
import { resource, type ViewOf } from '../../src/core/resource.ts';
import { choice, IdText, nullable, Time } from '../../src/core/shapes.ts';
import { LAUNCHER_LAUNCH_STATES } from '../../src/domain/launch/launcher.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

export const launcherLaunch = resource('launches', {
  id: { wire: IdText, column: 'uuid' },
  kind: { wire: choice(['launcher']), column: 'text' },
  state: {
    wire: choice(LAUNCHER_LAUNCH_STATES, '`failed_paid`: paid, and the launcher declines; `detail` says what the payer can do.'),
    column: 'text',
    changes: true,
  },
  reason: { wire: nullable('string'), column: 'text', changes: true },
  detail: { wire: nullable('string'), column: 'text', changes: true },
  mint: { wire: nullable('string', 'Null until it is launched.'), column: 'text', changes: true },
  name: { wire: Type.String() },
  symbol: { wire: Type.String(), column: 'text' },
  description: { wire: Type.String() },
  imageUrl: { wire: Type.String() },
  creator: { wire: Type.String({ description: 'The wallet that pays.' }), column: 'text' },
  quoteMint: { wire: Type.String(), column: 'text' },
  quoteSymbol: { wire: Type.String() },
  pairedStock: { wire: Type.Unsafe<InstrumentKey>(Type.String()), column: 'text' },
  creatorFeeBps: { wire: Type.Integer() },
  agentId: { wire: IdText, column: 'uuid' },
  lamports: { wire: Type.String({ description: 'Exactly what is paid, in lamports.' }) },
  payTo: { wire: Type.String() },
  validUntil: { wire: Time, instant: true },
  // The launcher's answer comes later than the other fields. `terms` do not change.
  launchTransaction: { wire: nullable('string', "The launcher's own transaction."), within: 'outcome', changes: true },
  signatures: {
    wire: Type.Array(Type.String(), { description: 'Signatures of the payment. Empty before it is submitted.' }),
    column: 'text[]',
    changes: true,
  },
  preparedBy: { wire: Type.String(), column: 'text' },
  submittedBy: { wire: nullable('string'), column: 'text', changes: true },
  createdAt: { wire: Time, column: 'bigint', instant: true },
  changedAt: { wire: Time, column: 'bigint', changes: true, instant: true },
});

export type LauncherLaunch = ViewOf<typeof launcherLaunch>;
