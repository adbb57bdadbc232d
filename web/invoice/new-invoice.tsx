import { useEffect, useState, type ReactNode } from 'react'
import type { Refusal } from '../ui/send-request.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeading } from '../ui/page-frame.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { fetchRecipient, type MerchantLink, type Mode, type Recipient } from './request-invoice.ts'
import { InvoiceForm } from './invoice-form.tsx'
import { describeError, words } from './words.ts'

type NewInvoiceProps = {
  readonly link: MerchantLink
  readonly onMode: (mode: Mode) => void
  readonly onDone: (token: string) => void
}

/** Loads the merchant, then shows the form for an invoice to it. */
export function NewInvoice({ link, onMode, onDone }: NewInvoiceProps): ReactNode {
  const { merchantCode, mode } = link
  const [recipient, setRecipient] = useState<Recipient | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [tries, setTries] = useState(0)

  useEffect(() => {
    let isLeft = false
    onMode(mode)
    void fetchRecipient({ merchantCode, mode }).then((answer) => {
      if (isLeft) return
      if ('refusal' in answer) setRefusal(answer.refusal)
      else setRecipient(answer.data)
    })
    return () => {
      isLeft = true
    }
  }, [merchantCode, mode, onMode, tries])

  if (recipient !== null && recipient.currencies.length > 0)
    return <InvoiceForm link={link} recipient={recipient} onDone={onDone} />
  if (recipient !== null)
    return (
      <Sheet>
        <PageHeading>{words.recipient.refuses(recipient.name)}</PageHeading>
        <p>{words.recipient.refusesLead}</p>
      </Sheet>
    )
  if (refusal === null)
    return (
      <Sheet isWide>
        <PageHeading>{words.recipient.loading}</PageHeading>
        <Skeleton />
        <Skeleton shape="short" />
      </Sheet>
    )
  const tryAgain = () => {
    setRefusal(null)
    setTries(tries + 1)
  }
  return <NoRecipient refusal={refusal} onRetry={tryAgain} />
}

function NoRecipient({ refusal, onRetry }: { readonly refusal: Refusal; readonly onRetry: () => void }) {
  if (refusal.code === 'MERCHANT_NOT_FOUND')
    return (
      <Sheet>
        <PageHeading>{words.recipient.notFound}</PageHeading>
        <p>{words.recipient.notFoundLead}</p>
      </Sheet>
    )
  return (
    <Sheet act={<Button onClick={onRetry}>{words.tryAgain}</Button>}>
      <PageHeading>{words.failed}</PageHeading>
      <Notice kind="error">{describeError(refusal)}</Notice>
    </Sheet>
  )
}
