import { useEffect, useRef, type ReactNode } from 'react'
import { Amount } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { TestBand } from '../ui/test-band.tsx'
import { TicketGroups } from '../ui/ticket.tsx'
import type { Voucher } from './request-voucher.ts'
import './till-dialog.css'
import { voucherLink } from '../ui/voucher-address.ts'
import { words } from './words.ts'

type TillDialogProps = { readonly voucher: Voucher; readonly onClose: () => void }

/** The QR code as large and bright as the screen allows, for the cashier to scan. */
export function TillDialog({ voucher, onClose }: TillDialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  useEffect(keepScreenOn, [])
  return (
    <dialog className="till always-light" ref={dialog} onClose={onClose} aria-label={words.till.label}>
      {voucher.mode === 'test' && <TestBand />}
      <div className="till-content">
        <div className="till-qr">
          <QrCode content={voucherLink(voucher)} label={words.voucher.qr} />
        </div>
        {voucher.merchantCode !== '' && <p className="till-shop-code">{words.till.shopCode(voucher.merchantCode)}</p>}
        <TicketGroups code={voucher.code} />
        <p className="till-left">
          {words.till.balance} <Amount value={voucher.balance} currency={voucher.currency} />
        </p>
        <Button onClick={() => dialog.current?.close()}>{words.till.close}</Button>
      </div>
    </dialog>
  )
}

/** Keeps the screen on while the user waits at the till, where the browser supports it. Returns a function that releases it. */
function keepScreenOn(): () => void {
  const lock = 'wakeLock' in navigator ? navigator.wakeLock.request('screen').catch(() => null) : null
  return () => void lock?.then((sentinel) => sentinel?.release())
}
