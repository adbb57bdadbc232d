import { spokenAmount } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { TicketPaper } from '../ui/ticket-paper.tsx'
import { CodeForm } from './code-form.tsx'
import { explain, useIsWaiting } from './failure-words.ts'
import { PageHeading } from '../ui/page-frame.tsx'
import { HolderFrame } from './holder-frame.tsx'
import { PinForm } from './pin-form.tsx'
import { type AskedVoucher, useVoucher, type View } from './use-voucher.ts'
import { type VoucherAddress, writeFragment } from '../ui/voucher-address.ts'
import { VoucherView } from './voucher-view.tsx'
import type { Failure } from './ask-voucher.ts'

export function VoucherScreen({ address }: { readonly address: VoucherAddress }) {
  const asked = useVoucher(address)
  const voucher = asked.view.kind === 'shown' ? asked.view.voucher : null
  return (
    <HolderFrame
      isTest={voucher?.mode === 'test'}
      status={statusOf(asked)}
      wayBack={
        <a className="page-way-back" href="#">
          Other vouchers
        </a>
      }
      issued={voucher === null ? '' : `Issued by ${voucher.issuer} on ${voucher.platform}.`}
    >
      <Content address={address} asked={asked} />
    </HolderFrame>
  )
}

function Content({ address, asked }: { readonly address: VoucherAddress; readonly asked: AskedVoucher }) {
  const { view, isAsking, ask } = asked
  switch (view.kind) {
    case 'asking':
      return <Waiting />
    case 'shown':
      return <VoucherView view={view} isAsking={isAsking} onRefresh={() => ask()} />
    case 'locked':
      return <PinForm failure={view.failure} isAsking={isAsking} onPin={ask} />
    case 'failed':
      return <Failed address={address} failure={view.failure} isAsking={isAsking} onRetry={() => ask()} />
  }
}

function Waiting() {
  const body = (
    <div className="form-body">
      <PageHeading>
        <span className="for-screen-readers">Voucher</span>
        <Skeleton shape="short" />
      </PageHeading>
      <Skeleton shape="amount" />
      <Skeleton />
      <Skeleton shape="short" />
    </div>
  )
  return <TicketPaper body={body} stub={<Skeleton shape="square" />} />
}

type FailedProps = {
  readonly address: VoucherAddress
  readonly failure: Failure
  readonly isAsking: boolean
  readonly onRetry: () => void
}

function Failed({ address, failure, isAsking, onRetry }: FailedProps) {
  const isWaiting = useIsWaiting(failure.until)
  const words = explain(failure)
  const openOther = (other: VoucherAddress) => {
    if (writeFragment(other) === writeFragment(address)) onRetry()
    else location.hash = writeFragment(other)
  }
  if (words.isAboutCode) {
    const initial = address.merchantCode === '' ? address.code : `${address.merchantCode}.${address.code}`
    return (
      <CodeForm heading={words.heading} lead={words.lead} initial={initial} error={words.error} onCode={openOther} />
    )
  }
  const body = (
    <div className="form-body">
      <PageHeading>{words.heading}</PageHeading>
      <p role="alert">{words.lead}</p>
    </div>
  )
  const stub = (
    <div className="form-stub">
      <Button kind="main" disabled={isWaiting} aria-disabled={isAsking} onClick={onRetry}>
        {isAsking ? 'Asking' : 'Try again'}
      </Button>
    </div>
  )
  return <TicketPaper body={body} stub={stub} />
}

function statusOf({ view, isAsking }: { readonly view: View; readonly isAsking: boolean }): string {
  if (isAsking) return 'Asking for the voucher.'
  if (view.kind !== 'shown' || view.failure !== null) return ''
  const { voucher } = view
  return `Voucher from ${voucher.issuer}. ${spokenAmount(voucher.balance, voucher.currency)} left.`
}
