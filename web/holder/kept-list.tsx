import { useState } from 'react'
import { Amount } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { Moment } from '../ui/moment.tsx'
import { TicketSlip } from '../ui/ticket-slip.tsx'
import './kept-list.css'
import { isSame, keep, type KeptVoucher, letGo, useKeptVouchers } from './kept-vouchers.ts'
import { writeFragment } from '../ui/voucher-address.ts'

export function KeptList() {
  const kept = useKeptVouchers()
  const [removed, setRemoved] = useState<readonly KeptVoucher[]>([])
  const gone = removed.filter((voucher) => !kept.some((other) => isSame(other, voucher)))
  return (
    <section className="kept" aria-labelledby="kept-heading">
      <h2 id="kept-heading">Kept on this phone</h2>
      {kept.length + gone.length === 0 && (
        <p className="soft">Nothing yet. When you keep a voucher, it will wait for you here.</p>
      )}
      <ul className="kept-list">
        {kept.map((voucher) => (
          <li key={writeFragment(voucher)}>
            <KeptSlip voucher={voucher} onRemoved={() => setRemoved([voucher, ...removed])} />
          </li>
        ))}
        {gone.map((voucher, place) => (
          <li className="kept-gone" key={writeFragment(voucher)}>
            <p id={`gone-${place}`}>The voucher from {voucher.issuer} is no longer kept here.</p>
            <Button kind="bare" autoFocus aria-describedby={`gone-${place}`} onClick={() => keep(voucher)}>
              Put it back
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function KeptSlip({ voucher, onRemoved }: { readonly voucher: KeptVoucher; readonly onRemoved: () => void }) {
  const remove = () => {
    letGo(voucher)
    onRemoved()
  }
  return (
    <TicketSlip
      href={writeFragment(voucher)}
      title={voucher.issuer}
      code={voucher.code}
      balance={voucher.balance === '' ? 'Locked' : <Amount value={voucher.balance} currency={voucher.currency} />}
      detail={
        <>
          {voucher.mode === 'test' && <span className="kept-test">Test</span>}
          Seen <Moment at={voucher.seenAt} />
        </>
      }
      act={
        <Button kind="bare" onClick={remove} aria-label={`Remove the voucher from ${voucher.issuer}`}>
          Remove
        </Button>
      }
    />
  )
}
