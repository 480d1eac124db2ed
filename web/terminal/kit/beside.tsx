/** A list with the detail of its chosen row beside it, or beneath it on a narrow screen. */
import type { ReactNode } from 'react';

interface BesideProps {
  /** Null while no row is chosen: the list has the whole width. */
  readonly detail: ReactNode;
  readonly children: ReactNode;
}

export const Beside = ({ detail, children }: BesideProps) => (
  <div className="beside" data-open={detail !== null}>
    <div>{children}</div>
    {detail}
  </div>
);

interface OpenerProps {
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly children: ReactNode;
}

/** Names a row, and opens or closes its detail. */
export const Opener = ({ isOpen, toggle, children }: OpenerProps) => (
  <button type="button" className="plain opener" aria-expanded={isOpen} onClick={toggle}>
    {children}
  </button>
);
