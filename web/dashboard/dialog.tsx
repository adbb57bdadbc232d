import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import './dialog.css'

type DialogProps = {
  readonly heading: string
  /** Not to be closed before there is an answer. */
  readonly isBusy?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Before everything else until it is answered. Escape closes it. */
export function Dialog({ heading, isBusy = false, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [opener] = useState(() => document.activeElement)
  useEffect(() => {
    dialog.current?.showModal()
    // A dialog that is removed while open does not give the focus back by itself.
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [opener])
  return (
    <dialog
      className="dialog"
      ref={dialog}
      aria-labelledby={id}
      // A browser lets nobody hold a dialog open for ever: then it is opened again.
      onClose={() => (isBusy ? dialog.current?.showModal() : onClose())}
      onCancel={(event) => isBusy && event.preventDefault()}
    >
      <h2 id={id}>{heading}</h2>
      {children}
    </dialog>
  )
}
