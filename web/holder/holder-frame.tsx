import { Tickets } from 'lucide-react'
import type { ReactNode } from 'react'
import { PageFrame } from '../ui/page-frame.tsx'
import type { Voucher } from './request-voucher.ts'
import { ShopName, ShopNameSkeleton } from './shop-name.tsx'
import { lookOf } from './voucher-look.ts'
import { words } from './words.ts'

type HolderFrameProps = {
  /** The shop of the voucher leads the page; the platform is in the footer. */
  readonly voucher?: Voucher | null
  /** Whether the shop will follow. */
  readonly isLoading?: boolean
  readonly status: string
  /** False on the start page, which the link leads to. */
  readonly hasWayBack?: boolean
  readonly children: ReactNode
}

export function HolderFrame(props: HolderFrameProps): ReactNode {
  const { voucher = null, isLoading = false, status, hasWayBack = false, children } = props
  return (
    <PageFrame
      name={words.name}
      shop={voucher === null ? isLoading && <ShopNameSkeleton /> : <ShopName look={lookOf(voucher)} />}
      isTest={voucher?.mode === 'test'}
      status={status}
      footer={voucher === null ? [] : [words.issuedBy(voucher.issuer, voucher.platform)]}
      wayBack={hasWayBack && <WayBack />}
    >
      {children}
    </PageFrame>
  )
}

function WayBack() {
  return (
    <a className="button" data-kind="quiet" href="#">
      <Tickets aria-hidden="true" />
      {words.otherVouchers}
    </a>
  )
}
