import type { ReactNode } from 'react'
import { spokenAmount } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { TicketPaper } from '../ui/ticket-paper.tsx'
import { CodeForm } from './code-form.tsx'
import { describeFailure, useIsWaiting } from './describe-failure.ts'
import { PageHeading } from '../ui/page-frame.tsx'
import { HolderFrame } from './holder-frame.tsx'
import { PinForm } from './pin-form.tsx'
import { type RequestedVoucher, useVoucher } from './use-voucher.ts'
import { type VoucherAddress, writeFragment } from '../ui/voucher-address.ts'
import { VoucherView } from './voucher-view.tsx'
import type { Failure } from './request-voucher.ts'
import { words } from './words.ts'

export function VoucherScreen({ address }: { readonly address: VoucherAddress }): ReactNode {
  const requested = useVoucher(address)
  const voucher = requested.view.kind === 'shown' ? requested.view.voucher : null
  return (
    <HolderFrame
      isTest={voucher?.mode === 'test'}
      status={statusOf(requested)}
      wayBack={
        <a className="page-way-back" href="#">
          {words.otherVouchers}
        </a>
      }
      issued={voucher === null ? '' : words.issuedBy(voucher.issuer, voucher.platform)}
    >
      <Content address={address} requested={requested} />
    </HolderFrame>
  )
}

type ContentProps = { readonly address: VoucherAddress; readonly requested: RequestedVoucher }

function Content({ address, requested }: ContentProps) {
  const { view, isLoading, load, act } = requested
  switch (view.kind) {
    case 'loading':
      return <Loading />
    case 'shown':
      return <VoucherView view={view} isLoading={isLoading} act={act} onRefresh={() => load()} />
    case 'locked':
      return <PinForm failure={view.failure} isLoading={isLoading} onPin={load} />
    case 'failed':
      return <Failed address={address} failure={view.failure} isLoading={isLoading} onRetry={() => load()} />
  }
}

function Loading() {
  const body = (
    <div className="form-body">
      <PageHeading>
        <span className="for-screen-readers">{words.name}</span>
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
  readonly isLoading: boolean
  readonly onRetry: () => void
}

function Failed({ address, failure, isLoading, onRetry }: FailedProps) {
  const isWaiting = useIsWaiting(failure.until)
  const text = describeFailure(failure)
  const openOther = (other: VoucherAddress) => {
    if (writeFragment(other) === writeFragment(address)) onRetry()
    else location.hash = writeFragment(other)
  }
  if (text.isAboutCode) {
    const initial = address.merchantCode === '' ? address.code : `${address.merchantCode}.${address.code}`
    return <CodeForm heading={text.heading} lead={text.lead} initial={initial} error={text.error} onCode={openOther} />
  }
  const body = (
    <div className="form-body">
      <PageHeading>{text.heading}</PageHeading>
      <p role="alert">{text.lead}</p>
    </div>
  )
  const stub = (
    <div className="form-stub">
      <Button kind="main" disabled={isWaiting} aria-disabled={isLoading} onClick={onRetry}>
        {isLoading ? words.loading : words.tryAgain}
      </Button>
    </div>
  )
  return <TicketPaper body={body} stub={stub} />
}

function statusOf({ view, isLoading }: RequestedVoucher): string {
  if (isLoading) return words.status.loading
  if (view.kind !== 'shown' || view.failure !== null) return ''
  const { voucher } = view
  return words.status.shown(voucher.issuer, spokenAmount(voucher.balance, voucher.currency))
}
