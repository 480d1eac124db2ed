/** The `bridge` channel: every change of a bridge transfer. */
import { Type } from 'typebox';
import { BridgeChainWord, BridgeProviderWord, TransferStateWord } from '../../../actors/bridge-transfer/resource.ts';
import { ARRIVAL_STATES, ATTENTIONS, PROVIDER_STATES, SOURCE_STATES } from '../../../src/domain/bridge/axes.ts';
import { choice, DecimalText, IdText, NullableDecimalText, nullable } from '../../shapes.ts';
import { announcementChannel } from './channel.ts';

/** Status of a transfer, shared by its changes and alerts. */
export const transferStatus = {
  transferId: IdText,
  state: TransferStateWord,
  provider: BridgeProviderWord,
  from: BridgeChainWord,
  to: BridgeChainWord,
  amountUsd: DecimalText,
  hash: nullable('string', 'The source transaction, once it is submitted.'),
  providerState: choice(PROVIDER_STATES),
  sourceState: choice(SOURCE_STATES),
  destinationState: choice(ARRIVAL_STATES),
  refundState: choice(ARRIVAL_STATES),
  arrivedUsd: NullableDecimalText,
  refundedUsd: NullableDecimalText,
  attentions: Type.Array(choice(ATTENTIONS)),
  delayed: Type.Boolean({ description: 'It takes more than three times its estimate.' }),
};

export const bridgeChannel = announcementChannel({
  name: 'bridge',
  about: 'Every change of a bridge transfer.',
  actorParam: 'transferId',
  item: Type.Object(transferStatus, { $id: 'TransferChange', additionalProperties: false }),
});
