/** Fields that the order ticket and the swap ticket share. */
import type { TextInputProps } from '@mantine/core';
import { isAmount } from '../kit/decimal.ts';
import { Written } from '../kit/form.tsx';
import { useStore } from '../kit/store.ts';
import { changeDraft, type Draft, draft } from './draft.ts';

export function Sides() {
  const { side } = useStore(draft);
  const turn = (next: Draft['side']) => () => changeDraft({ side: next });
  return (
    <div className="sides" role="group" aria-label="Side">
      <button type="button" className="buy" aria-pressed={side === 'buy'} onClick={turn('buy')}>
        Buy <kbd aria-hidden="true">B</kbd>
      </button>
      <button type="button" className="sell" aria-pressed={side === 'sell'} onClick={turn('sell')}>
        Sell <kbd aria-hidden="true">S</kbd>
      </button>
    </div>
  );
}

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

export function Slippage() {
  const { slippageBps } = useStore(draft);
  const wrong = /^\d{1,3}$|^1000$/.test(slippageBps) ? null : 'A whole number from 0 to 1000.';
  return (
    <Written
      label="Max slippage (bps)"
      inputMode="numeric"
      value={slippageBps}
      error={wrong}
      write={(text) => changeDraft({ slippageBps: text.trim() })}
    />
  );
}
