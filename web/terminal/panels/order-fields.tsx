/** Fields that the tickets of orders, swaps and predictions share. */
import { Select, type TextInputProps } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { shortAddress } from '../kit/address.tsx';
import { isAmount, isSlippage } from '../kit/decimal.ts';
import { Written } from '../kit/form.tsx';
import { useStore } from '../kit/store.ts';
import { useWallets } from '../organization.ts';
import { changeDraft, type Draft, draft } from './draft.ts';

interface SideButtonsProps {
  readonly side: Draft['side'];
  readonly turn: (side: Draft['side']) => void;
  /** Shows the shortcut of a side. */
  readonly keyOf?: (key: string) => ReactNode;
}

export const SideButtons = ({ side, turn, keyOf }: SideButtonsProps) => (
  <div className="sides" role="group" aria-label="Side">
    <button type="button" className="buy" aria-pressed={side === 'buy'} onClick={() => turn('buy')}>
      Buy {keyOf?.('B')}
    </button>
    <button type="button" className="sell" aria-pressed={side === 'sell'} onClick={() => turn('sell')}>
      Sell {keyOf?.('S')}
    </button>
  </div>
);

export const Sides = () => (
  <SideButtons side={useStore(draft).side} turn={(side) => changeDraft({ side })} keyOf={(key) => <kbd aria-hidden="true">{key}</kbd>} />
);

/** Size field. Accepts `$1,000` as `1000`. */
export function SizeInput(more: Pick<TextInputProps, 'label' | 'rightSection' | 'rightSectionWidth'>) {
  const { size } = useStore(draft);
  return (
    <Written
      {...more}
      id="ticket-size"
      inputMode="decimal"
      placeholder="0.00"
      value={size}
      error={size !== '' && !isAmount(size) ? 'Enter a number above zero, such as 250 or 0.5.' : null}
      write={(text) => changeDraft({ size: text.trim().replace(/^\$/, '').replaceAll(',', '') })}
    />
  );
}

export const SlippageField = ({ bps, write }: { readonly bps: string; readonly write: (bps: string) => void }) => (
  <Written
    label="Max slippage (bps)"
    inputMode="numeric"
    value={bps}
    error={isSlippage(bps) ? null : 'A whole number from 0 to 1000.'}
    write={(text) => write(text.trim())}
  />
);

export const Slippage = () => <SlippageField bps={useStore(draft).slippageBps} write={(slippageBps) => changeDraft({ slippageBps })} />;

/** Linked wallet of the primary chain that signs, or null if there is none, and the field that chooses it. */
export function useSigner(isWanted = true) {
  const { data = [] } = useWallets({ isWanted });
  const own = data.filter(({ chain }) => chain === 'spotchain');
  const [chosen, choose] = useState<string | null>(null);
  const signer = chosen ?? own[0]?.address ?? null;
  const choices = own.map(({ address, label }) => ({ value: address, label: label ?? shortAddress(address) }));
  return { signer, choice: <Select label="Wallet" data={choices} value={signer} onChange={choose} /> };
}
