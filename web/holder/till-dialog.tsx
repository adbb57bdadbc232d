import { useEffect, useRef, type ReactNode } from 'react'
import { Amount } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { TestBadge, TestLine } from '../ui/test-mode.tsx'
import { TicketGroups } from '../ui/ticket.tsx'
import type { Voucher } from './request-voucher.ts'
import { ShopName } from './shop-name.tsx'
import './till-dialog.css'
import { voucherLink } from '../ui/voucher-address.ts'
import { lookOf } from './voucher-look.ts'
import { words } from './words.ts'

type TillDialogProps = { readonly voucher: Voucher; readonly onClose: () => void }

/** The QR code as large and bright as the screen allows, for the cashier to scan. */
export function TillDialog({ voucher, onClose }: TillDialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  useEffect(keepScreenOn, [])
  const isTest = voucher.mode === 'test'
  return (
    <dialog className="till always-light" ref={dialog} onClose={onClose} aria-label={words.till.label}>
      {isTest && <TestLine />}
      <div className="till-content">
        <p className="till-shop">
          <ShopName look={lookOf(voucher)} />
        </p>
        {isTest && <TestBadge />}
        <div className="till-qr">
          <QrCode content={voucherLink(voucher)} label={words.voucher.qr} />
        </div>
        {voucher.merchantCode !== '' && <p className="till-shop-code">{words.till.shopCode(voucher.merchantCode)}</p>}
        <TicketGroups code={voucher.code} />
        <p className="till-left">
          {words.voucher.left} <Amount value={voucher.balance} currency={voucher.currency} />
        </p>
        <Button size="l" onClick={() => dialog.current?.close()}>
          {words.till.close}
        </Button>
      </div>
    </dialog>
  )
}

/** Keeps the screen on while the user waits at the till, where the browser supports it. Returns a function that releases it. */
function keepScreenOn(): () => void {
  const lock = 'wakeLock' in navigator ? navigator.wakeLock.request('screen').catch(() => null) : null
  return () => void lock?.then((sentinel) => sentinel?.release())
}
