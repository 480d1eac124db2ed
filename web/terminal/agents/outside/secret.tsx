/** A secret that is shown once: copied by a button, and gone when the dialog closes. */
import { Button, CopyButton, Modal } from '@mantine/core';

interface SecretsProps {
  readonly title: string;
  /** Null while there is nothing to show. */
  readonly secrets: readonly (readonly [name: string, text: string])[] | null;
  readonly close: () => void;
}

export const Secrets = ({ title, secrets, close }: SecretsProps) => (
  <Modal
    opened={secrets !== null}
    onClose={close}
    title={title}
    size="lg"
    closeButtonProps={{ 'aria-label': 'Close' }}
    centered
    // A press beside it would lose what cannot be shown again.
    closeOnClickOutside={false}
  >
    <div className="ask">
      <p className="warn">Copy it now. The service keeps only its hash and cannot show it again.</p>
      {(secrets ?? []).map(([name, text]) => (
        <div key={name} className="secret">
          <span className="faint">{name}</span>
          <code>{text}</code>
          <CopyButton value={text}>
            {({ copied, copy }) => (
              <Button size="compact-xs" variant="default" onClick={copy}>
                {copied ? 'Copied' : `Copy ${name.toLowerCase()}`}
              </Button>
            )}
          </CopyButton>
        </div>
      ))}
      <div className="buttons">
        <Button onClick={close}>I have saved it</Button>
      </div>
    </div>
  </Modal>
);
