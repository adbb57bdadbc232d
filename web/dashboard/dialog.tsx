import { type ReactNode, useEffect, useId, useRef } from 'react'
import './dialog.css'

type DialogProps = { readonly heading: string; readonly onClose: () => void; readonly children: ReactNode }

/** Before everything else until it is answered. Escape closes it. */
export function Dialog({ heading, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog className="dialog" ref={dialog} onClose={onClose} aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      {children}
    </dialog>
  )
}
