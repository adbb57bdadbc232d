import { useEffect, useState } from 'react'
import type { Refusal } from '../ui/ask-server.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeading } from '../ui/page-frame.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { type Address, askTaker, type Mode, type Taker } from './ask-invoice.ts'
import { InvoiceForm } from './invoice-form.tsx'

type NewInvoiceProps = {
  readonly address: Address
  readonly onMode: (mode: Mode) => void
  readonly onDone: (token: string) => void
}

/** Looks up who takes the invoice, and then asks for it. */
export function NewInvoice({ address, onMode, onDone }: NewInvoiceProps) {
  const { merchantCode, mode } = address
  const [taker, setTaker] = useState<Taker | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [tries, setTries] = useState(0)

  useEffect(() => {
    let isLeft = false
    onMode(mode)
    void askTaker({ merchantCode, mode }).then((answer) => {
      if (isLeft) return
      if ('refusal' in answer) setRefusal(answer.refusal)
      else setTaker(answer.data)
    })
    return () => {
      isLeft = true
    }
  }, [merchantCode, mode, onMode, tries])

  if (taker !== null && taker.currencies.length > 0)
    return <InvoiceForm address={address} taker={taker} onDone={onDone} />
  if (taker !== null)
    return (
      <Sheet>
        <PageHeading>{taker.name} takes no invoices here</PageHeading>
        <p>Ask them how they would like to get yours.</p>
      </Sheet>
    )
  if (refusal === null)
    return (
      <Sheet isWide>
        <PageHeading>Send an invoice</PageHeading>
        <Skeleton />
        <Skeleton shape="short" />
      </Sheet>
    )
  if (refusal.code === 'MERCHANT_NOT_FOUND')
    return (
      <Sheet>
        <PageHeading>We do not know this shop</PageHeading>
        <p>Perhaps a letter of the link is missing. Ask whoever gave it to you.</p>
      </Sheet>
    )
  const tryAgain = () => {
    setRefusal(null)
    setTries(tries + 1)
  }
  return (
    <Sheet act={<Button onClick={tryAgain}>Try again</Button>}>
      <PageHeading>That did not work</PageHeading>
      <Notice kind="error">{refusal.message}</Notice>
    </Sheet>
  )
}
