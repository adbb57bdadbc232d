import { useEffect, useState, type ReactNode } from 'react'
import type { Answer, Refusal } from '../ui/send-request.ts'
import { Notice } from '../ui/notice.tsx'
import { PageHeading } from '../ui/page-frame.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { fetchInvoice, type Invoice, type Mode } from './request-invoice.ts'
import { describeState, InvoiceView } from './invoice-view.tsx'
import { describeError, words } from './words.ts'

type FollowInvoiceProps = {
  readonly token: string
  readonly onMode: (mode: Mode) => void
  readonly onStatus: (status: string) => void
}

const pollMs = 5_000

/** Shows the state of an invoice, and reloads it every 5 seconds while the page is visible. */
export function FollowInvoice({ token, onMode, onStatus }: FollowInvoiceProps): ReactNode {
  const [invoice, setInvoice] = useState<Invoice | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)

  useEffect(
    () =>
      pollInvoice(token, (answer) => {
        setRefusal('refusal' in answer ? answer.refusal : null)
        if ('refusal' in answer) return
        setInvoice(answer.data)
        onMode(answer.data.mode)
        onStatus(describeState(answer.data).heading)
      }),
    [token, onMode, onStatus],
  )

  if (invoice !== null) return <InvoiceView invoice={invoice} token={token} isStale={refusal !== null} />
  if (refusal !== null) return <NoInvoice refusal={refusal} />
  return (
    <Sheet isWide>
      <PageHeading>{words.follow.loading}</PageHeading>
      <Skeleton />
      <Skeleton shape="short" />
    </Sheet>
  )
}

function NoInvoice({ refusal }: { readonly refusal: Refusal }) {
  if (refusal.code === 'INVOICE_NOT_FOUND')
    return (
      <Sheet>
        <PageHeading>{words.follow.notFound}</PageHeading>
        <p>{words.follow.notFoundLead}</p>
      </Sheet>
    )
  if (refusal.code === 'INVOICE_LINK_ENDED')
    return (
      <Sheet>
        <PageHeading>{words.follow.ended}</PageHeading>
        <p>{words.follow.endedLead}</p>
      </Sheet>
    )
  return (
    <Sheet>
      <PageHeading>{words.failed}</PageHeading>
      <Notice kind="error">
        {describeError(refusal)} {words.follow.retrying}
      </Notice>
    </Sheet>
  )
}

/** Loads the invoice now, after every pause, and when the page becomes visible again. Returns a function that stops it. */
function pollInvoice(token: string, onAnswer: (answer: Answer<Invoice>) => void): () => void {
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const load = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'hidden') return
    void fetchInvoice(token).then((answer) => {
      if (isStopped) return
      onAnswer(answer)
      clearTimeout(timer)
      timer = setTimeout(load, pollMs)
    })
  }
  load()
  document.addEventListener('visibilitychange', load)
  return () => {
    isStopped = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', load)
  }
}
