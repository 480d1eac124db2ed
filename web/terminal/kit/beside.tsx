/** List with the details of its selected row beside it, or below it on a narrow screen. */
import type { ReactNode } from 'react';

interface BesideProps {
  /** Null if no row is selected. The list then has the whole width. */
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

/** Button that names a row and opens or closes its details. */
export const Opener = ({ isOpen, toggle, children }: OpenerProps) => (
  <button type="button" className="plain opener" aria-expanded={isOpen} onClick={toggle}>
    {children}
  </button>
);
