import { Tickets } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Amount } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Moment } from '../ui/moment.tsx'
import { TicketSlip } from '../ui/ticket-slip.tsx'
import './saved-list.css'
import { isSameVoucher, removeVoucher, type SavedVoucher, saveVoucher, useSavedVouchers } from './saved-vouchers.ts'
import { writeFragment } from '../ui/voucher-address.ts'
import { words } from './words.ts'

export function SavedList(): ReactNode {
  const saved = useSavedVouchers()
  const [removed, setRemoved] = useState<readonly SavedVoucher[]>([])
  // Without those that the user has put back since.
  const undoable = removed.filter((voucher) => !saved.some((other) => isSameVoucher(other, voucher)))
  return (
    <section className="saved" aria-labelledby="saved-heading">
      <h2 id="saved-heading">{words.saved.heading}</h2>
      {saved.length + undoable.length === 0 && (
        <Empty icon={Tickets} heading={words.saved.emptyHeading} lead={words.saved.empty} />
      )}
      <ul className="saved-list">
        {saved.map((voucher) => (
          <li key={writeFragment(voucher)}>
            <SavedSlip voucher={voucher} onRemoved={() => setRemoved([voucher, ...removed])} />
          </li>
        ))}
        {undoable.map((voucher) => (
          <li key={writeFragment(voucher)}>
            <Removed voucher={voucher} />
          </li>
        ))}
      </ul>
    </section>
  )
}

type SavedSlipProps = { readonly voucher: SavedVoucher; readonly onRemoved: () => void }

function SavedSlip({ voucher, onRemoved }: SavedSlipProps) {
  const remove = () => {
    removeVoucher(voucher)
    onRemoved()
  }
  const isLocked = voucher.balance === ''
  return (
    <TicketSlip
      href={writeFragment(voucher)}
      title={voucher.issuer}
      code={voucher.code}
      balance={isLocked ? words.saved.locked : <Amount value={voucher.balance} currency={voucher.currency} />}
      detail={
        <>
          {voucher.mode === 'test' && <span className="saved-test">{words.saved.test}</span>}
          {words.saved.updated} <Moment at={voucher.seenAt} />
        </>
      }
      act={
        <Button kind="bare" onClick={remove} aria-label={words.saved.removeFrom(voucher.issuer)}>
          {words.saved.remove}
        </Button>
      }
    />
  )
}

/** In the place of a removed voucher. The button takes the focus, because the one that was pressed is gone. */
function Removed({ voucher }: { readonly voucher: SavedVoucher }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.querySelector('button')?.focus(), [])
  const id = `removed-${voucher.code}`
  return (
    <div className="saved-removed" ref={place}>
      <p id={id}>{words.saved.removed(voucher.issuer)}</p>
      <Button kind="bare" aria-describedby={id} onClick={() => saveVoucher(voucher)}>
        {words.saved.undo}
      </Button>
    </div>
  )
}
