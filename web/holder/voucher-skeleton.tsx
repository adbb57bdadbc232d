import type { ReactNode } from 'react'
import { PageHeading } from '../ui/page-frame.tsx'
import { Skeleton, SkeletonRows } from '../ui/skeleton.tsx'
import { TicketHead } from '../ui/ticket-head.tsx'
import { TicketPaper } from '../ui/ticket-paper.tsx'
import './voucher-skeleton.css'
import './voucher-view.css'
import { words } from './words.ts'

/** Grey, because the colour of the shop is not known yet. */
const grey = {
  fill: 'var(--shade-strong)',
  onFill: 'var(--ink-soft)',
  inkOnLight: 'var(--shade-strong)',
  inkOnDark: 'var(--shade-strong)',
}

/** The page of a voucher while it loads. */
export function VoucherSkeleton(): ReactNode {
  const title = (
    <PageHeading>
      <span className="for-screen-readers">{words.name}</span>
      <Skeleton />
    </PageHeading>
  )
  const body = (
    <div className="voucher-skeleton">
      <Skeleton shape="short" />
      <Skeleton shape="amount" />
      <Skeleton />
      <Skeleton shape="short" />
    </div>
  )
  return (
    <div className="voucher">
      <div className="voucher-ticket">
        <TicketPaper
          head={<TicketHead title={title} label={words.giftVoucher} />}
          body={body}
          stub={
            <div className="voucher-skeleton">
              <Skeleton shape="square" />
              <Skeleton />
            </div>
          }
          colours={grey}
        />
      </div>
      <SkeletonRows count={3} />
      <SkeletonRows count={3} />
    </div>
  )
}
