import { useEffect, useRef } from 'react'
import { Amount } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { TestBand } from '../ui/test-band.tsx'
import { TicketGroups } from '../ui/ticket.tsx'
import type { Voucher } from './ask-voucher.ts'
import './till-dialog.css'
import { voucherLink } from '../ui/voucher-address.ts'

type TillDialogProps = { readonly voucher: Voucher; readonly onClose: () => void }

/** The code as large and bright as the screen allows, for whoever scans it. */
export function TillDialog({ voucher, onClose }: TillDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  useEffect(keepScreenOn, [])
  return (
    <dialog className="till always-light" ref={dialog} onClose={onClose} aria-label="Voucher for the till">
      {voucher.mode === 'test' && <TestBand />}
      <div className="till-content">
        <div className="till-qr">
          <QrCode content={voucherLink(voucher)} label="QR code of this voucher" />
        </div>
        {voucher.merchantCode !== '' && <p className="till-shop-code">Shop code {voucher.merchantCode}</p>}
        <TicketGroups code={voucher.code} />
        <p className="till-left">
          <Amount value={voucher.balance} currency={voucher.currency} /> left
        </p>
        <Button onClick={() => dialog.current?.close()}>Close</Button>
      </div>
    </dialog>
  )
}

/** A phone that goes dark in the queue is no help. Where it cannot be prevented, nothing is lost. */
function keepScreenOn(): () => void {
  const lock = 'wakeLock' in navigator ? navigator.wakeLock.request('screen').catch(() => null) : null
  return () => void lock?.then((sentinel) => sentinel?.release())
}
