import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import './dialog.css'

type DialogProps = {
  readonly heading: string
  /** While true, the dialog cannot be closed. */
  readonly isBusy?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A modal dialog. Escape closes it. */
export function Dialog({ heading, isBusy = false, onClose, children }: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [opener] = useState(() => document.activeElement)
  useEffect(() => {
    dialog.current?.showModal()
    // A dialog that is removed while open does not return the focus by itself.
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [opener])
  return (
    <dialog
      className="dialog"
      ref={dialog}
      aria-labelledby={id}
      // Browsers close a dialog when Escape is pressed twice, even if the first press was prevented.
      onClose={() => (isBusy ? dialog.current?.showModal() : onClose())}
      onCancel={(event) => isBusy && event.preventDefault()}
    >
      <h2 id={id}>{heading}</h2>
      {children}
    </dialog>
  )
}
