import { useEffect, useState } from 'react'
import type { Refusal } from '../ui/ask-server.ts'
import { Notice } from '../ui/notice.tsx'
import { PageHeading } from '../ui/page-frame.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { askInvoice, type Invoice, type Mode } from './ask-invoice.ts'
import { InvoiceView, stateOf } from './invoice-view.tsx'

type FollowInvoiceProps = {
  readonly token: string
  readonly onMode: (mode: Mode) => void
  readonly onStatus: (status: string) => void
}

const lookAgainMs = 5_000

/** What became of an invoice. Looks again by itself while somebody looks at it. */
export function FollowInvoice({ token, onMode, onStatus }: FollowInvoiceProps) {
  const [invoice, setInvoice] = useState<Invoice | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)

  useEffect(() => {
    let isLeft = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(timer)
      if (document.visibilityState === 'hidden') return
      void askInvoice(token).then((answer) => {
        if (isLeft) return
        setRefusal('refusal' in answer ? answer.refusal : null)
        if ('data' in answer) {
          setInvoice(answer.data)
          onMode(answer.data.mode)
          onStatus(stateOf(answer.data).heading)
        }
        clearTimeout(timer)
        timer = setTimeout(look, lookAgainMs)
      })
    }
    look()
    document.addEventListener('visibilitychange', look)
    return () => {
      isLeft = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [token, onMode, onStatus])

  if (invoice !== null)
    return (
      <InvoiceView
        invoice={invoice}
        token={token}
        // What is shown may have changed since.
        isStale={refusal !== null}
      />
    )
  if (refusal === null)
    return (
      <Sheet isWide>
        <PageHeading>Looking for your invoice</PageHeading>
        <Skeleton />
        <Skeleton shape="short" />
      </Sheet>
    )
  if (refusal.code === 'INVOICE_NOT_FOUND')
    return (
      <Sheet>
        <PageHeading>This link opens no invoice</PageHeading>
        <p>Perhaps a part of it is missing. The whole link is in the mail that you got when you sent the invoice.</p>
      </Sheet>
    )
  return (
    <Sheet>
      <PageHeading>That did not work</PageHeading>
      <Notice kind="error">{refusal.message} We keep trying.</Notice>
    </Sheet>
  )
}
