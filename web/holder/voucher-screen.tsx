import { CircleAlert, Clock, type LucideIcon, SearchX, WifiOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { spokenAmount } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { CodeForm } from './code-form.tsx'
import { describeFailure, useIsWaiting } from './describe-failure.ts'
import { FormTicket } from './form-ticket.tsx'
import { HolderFrame } from './holder-frame.tsx'
import { PinForm } from './pin-form.tsx'
import { type RequestedVoucher, useVoucher } from './use-voucher.ts'
import { type VoucherAddress, writeFragment } from '../ui/voucher-address.ts'
import { VoucherSkeleton } from './voucher-skeleton.tsx'
import { VoucherView } from './voucher-view.tsx'
import type { Failure } from './request-voucher.ts'
import { words } from './words.ts'

export function VoucherScreen({ address }: { readonly address: VoucherAddress }): ReactNode {
  const requested = useVoucher(address)
  const voucher = requested.view.kind === 'shown' ? requested.view.voucher : null
  return (
    <HolderFrame
      voucher={voucher}
      isLoading={requested.view.kind === 'loading'}
      status={statusOf(requested)}
      hasWayBack
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
      return <VoucherSkeleton />
    case 'shown':
      return <VoucherView view={view} isLoading={isLoading} act={act} onRefresh={() => load()} />
    case 'locked':
      return <PinForm failure={view.failure} isLoading={isLoading} onPin={load} />
    case 'failed':
      return <Failed address={address} failure={view.failure} isLoading={isLoading} onRetry={() => load()} />
  }
}

const icons: Readonly<Record<string, LucideIcon>> = { UNREACHABLE: WifiOff, TOO_MANY: Clock }

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
    return (
      <CodeForm
        icon={SearchX}
        heading={text.heading}
        lead={text.lead}
        initial={initial}
        error={text.error}
        onCode={openOther}
      />
    )
  }
  const act = (
    <Button kind="main" size="l" isWide disabled={isWaiting} aria-disabled={isLoading} onClick={onRetry}>
      {isLoading ? words.loading : words.tryAgain}
    </Button>
  )
  return (
    <FormTicket icon={icons[failure.code] ?? CircleAlert} heading={text.heading} act={act}>
      <p role="alert">{text.lead}</p>
    </FormTicket>
  )
}

function statusOf({ view, isLoading }: RequestedVoucher): string {
  if (isLoading) return words.status.loading
  if (view.kind !== 'shown' || view.failure !== null) return ''
  const { voucher } = view
  return words.status.shown(voucher.issuer, spokenAmount(voucher.balance, voucher.currency))
}
