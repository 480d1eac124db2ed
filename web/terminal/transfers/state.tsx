/** State and progress of a transfer. */
import type { BridgeTransfer } from '../../../clients/typescript/src/index.ts';
import { plain } from '../../words.js';
import { WorkState } from '../kit/ages.tsx';

const TONES: { readonly [state: string]: string } = {
  completed: 'up',
  refunded: 'warn',
  refunding: 'warn',
  failed: 'down',
  unknown: 'down',
  expired: 'faint',
  quoted: 'faint',
};
export const ENDED: readonly BridgeTransfer['state'][] = ['completed', 'refunded', 'failed', 'expired'];

export const TransferState = ({ state }: Pick<BridgeTransfer, 'state'>) => <span className={TONES[state] ?? ''}>{plain(state)}</span>;

export function Progress({ transfer }: { readonly transfer: BridgeTransfer }) {
  if (ENDED.includes(transfer.state) || transfer.state === 'quoted') return <span className="faint">–</span>;
  return <WorkState work={{ ...transfer, state: 'running', seenAt: transfer.changedAt, error: null }} name="the transfer" />;
}
