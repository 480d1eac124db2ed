/** Buttons that change the order so that it passes. */
import { Button } from '@mantine/core';
import { priceText } from '../../words.js';
import { ApiError } from '../api.ts';
import { isAmount } from '../kit/decimal.ts';
import { changeDraft } from './draft.ts';

/** Changes to a refused order that would pass. */
export function WayOut({ error }: { readonly error: unknown }) {
  if (!(error instanceof ApiError)) return null;
  if (error.code === 'feature_disabled')
    return (
      <Button size="compact-xs" variant="default" onClick={() => changeDraft({ mode: 'paper' })}>
        Trade on paper instead
      </Button>
    );
  return <Changes rejections={error.problem.rejections ?? []} />;
}

type Rejection = NonNullable<ApiError['problem']['rejections']>[number];

export function Changes({ rejections }: { readonly rejections: readonly Rejection[] }) {
  const quantities = rejections.flatMap(({ change }) =>
    change?.kind === 'quantity' && change.quantity !== undefined ? [change.quantity] : [],
  );
  // The smallest quantity satisfies every limit.
  const [most] = quantities.sort((a, b) => Number(a) - Number(b));
  const price = rejections.find(({ change }) => change?.kind === 'limit_price')?.change?.limitPrice;
  return (
    <div className="buttons">
      {most !== undefined && isAmount(most) && (
        <Button size="compact-xs" variant="default" onClick={() => changeDraft({ unit: 'units', size: most })}>
          Use {priceText(most)}
        </Button>
      )}
      {price !== undefined && (
        <Button size="compact-xs" variant="default" onClick={() => changeDraft({ kind: 'limit', price })}>
          Use limit {priceText(price)}
        </Button>
      )}
    </div>
  );
}
