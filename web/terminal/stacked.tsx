/** Panels stacked for a phone. */
import type { Panel } from './dock.tsx';

interface StackedProps<Name extends string> {
  readonly panels: { readonly [panel in Name]: Panel };
  /** Panels in order. */
  readonly names: readonly Name[];
}

export const Stacked = <Name extends string>({ panels, names }: StackedProps<Name>) =>
  names.map((name) => {
    const { title, content: Content, hasHead = false }: Panel = panels[name];
    return (
      <section key={name} className="phone-panel" aria-label={title}>
        {!hasHead && <h2>{title}</h2>}
        <Content />
      </section>
    );
  });
