/** The Trade workspace: dockable panels on a wide screen, one panel a screen on a phone. */
import { useMediaQuery } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import { Phone } from './phone.tsx';

const Dock = lazy(() => import('./dock.tsx'));

export function Workspace() {
  const isPhone = useMediaQuery('(max-width: 760px)', undefined, { getInitialValueInEffect: false });
  return (
    <>
      <h1 className="sr-only">Trading workspace</h1>
      {isPhone ? (
        <Phone />
      ) : (
        <Suspense fallback={null}>
          <Dock />
        </Suspense>
      )}
    </>
  );
}
