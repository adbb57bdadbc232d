import type { ReactNode } from 'react'
import { nameCurrency } from '../../ui/currency-name.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { Ticket } from '../../ui/ticket.tsx'
import { voucherLink } from '../../ui/voucher-address.ts'
import type { ShownVoucher } from '../shell/responses.ts'
import { place } from '../shell/place.ts'
import { LastDay, useShop } from '../shell/shop.tsx'
import { words } from '../words/words.ts'

type TicketWords = NonNullable<Parameters<typeof Ticket>[0]['words']>

/** A new voucher with its code, to hand over or to print. */
export function IssuedTicket({ voucher }: { readonly voucher: ShownVoucher }): ReactNode {
  const { merchant } = useShop()
  const { code, balance, amount, generatedCurrency: currency, expiresAt } = voucher
  return (
    <div className="printed issued-ticket">
      <Ticket
        heading={
          <p>
            <strong>{merchant.name}</strong>
            {place?.mode === 'test' && <span className="soft"> {words.receipt.test}</span>}
            {expiresAt !== '' && (
              <span className="soft">
                {' '}
                {words.voucher.expires} <LastDay at={expiresAt} />
              </span>
            )}
          </p>
        }
        state="open"
        balance={balance}
        amount={amount}
        currency={{
          abbreviation: currency.abbrev,
          name: nameCurrency(currency.abbrev, currency.name),
          symbol: currency.symbol,
        }}
        code={code}
        merchantCode=""
        codeAct={<CopyButton text={code} label={words.issue.copy} />}
        qr={<QrCode content={voucherLink({ code, merchantCode: '' })} label={words.issue.qr} />}
        act={<p className="soft issued-words">{words.issue.forTill}</p>}
        words={ticketWords()}
      />
    </div>
  )
}

/** The words of a ticket. The stamp names the state of a voucher that can no longer be used. */
export function ticketWords(stamp = ''): TicketWords {
  const { balance, of, code } = words.ticket
  return { left: balance, of, code, stamps: { open: '', used: stamp, expired: stamp } }
}
