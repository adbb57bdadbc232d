import { type ReactNode, useEffect, useRef } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import './dialog.css'

type DialogProps = {
  readonly heading: string
  /** While true, the dialog cannot be closed. */
  readonly isBusy?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A modal dialog. Escape closes it, and the focus returns to where it was. */
export function Dialog({ heading, isBusy = false, onClose, children }: DialogProps): ReactNode {
  return (
    <ModalOverlay
      className="dialog-cover"
      isOpen
      isKeyboardDismissDisabled={isBusy}
      onOpenChange={(isOpen) => isOpen || isBusy || onClose()}
    >
      <Modal>
        <AriaDialog className="dialog">
          <Heading slot="title" level={2}>
            {heading}
          </Heading>
          <Content>{children}</Content>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

/** Takes the focus to its first field or button. */
function Content({ children }: { readonly children: ReactNode }) {
  const content = useRef<HTMLDivElement>(null)
  useEffect(() => {
    content.current?.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
  }, [])
  return (
    <div className="dialog-content" ref={content}>
      {children}
    </div>
  )
}
