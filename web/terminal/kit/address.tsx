/** Address of a chain, shortened, with the full text on hover and copy. */
import { CopyButton } from '@mantine/core';

export const shortAddress = (address: string): string => (address.length <= 14 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`);

export const Address = ({ address }: { readonly address: string }) => (
  <CopyButton value={address}>
    {({ copied, copy }) => (
      <button type="button" className="address" title={`${address}: copy`} onClick={copy}>
        {copied ? 'Copied' : shortAddress(address)}
      </button>
    )}
  </CopyButton>
);
