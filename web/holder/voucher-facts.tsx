import type { ReactNode } from 'react'
import { locale } from '../ui/locale.ts'
import { Moment, writeMoment } from '../ui/moment.tsx'
import { ExplorerLink } from '../ui/explorer-link.tsx'
import type { Onchain, Voucher } from './request-voucher.ts'
import { words } from './words.ts'

type VoucherFactsProps = { readonly voucher: Voucher; readonly now: Date }

export function VoucherFacts({ voucher, now }: VoucherFactsProps): ReactNode {
  return (
    <section className="voucher-facts" aria-labelledby="facts-heading">
      <h2 id="facts-heading">{words.facts.heading}</h2>
      <dl className="fact-list">
        <Fact name={words.facts.where}>
          <Shops voucher={voucher} />
        </Fact>
        <Fact name={words.facts.expires}>
          <Expiry voucher={voucher} now={now} />
        </Fact>
        {voucher.onchain !== null && (
          <Fact name={words.onchain.network}>
            <Network onchain={voucher.onchain} hasPin={voucher.hasPin} />
          </Fact>
        )}
        {voucher.hasPin && <Fact name={words.facts.pin}>{words.facts.pinAtTill}</Fact>}
        <Fact name={words.facts.issued}>
          <Moment at={voucher.issuedAt} form="day" />
          <span className="facts-more">{words.facts.issuedBy(voucher.issuer)}</span>
        </Fact>
      </dl>
    </section>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Shops({ voucher }: { readonly voucher: Voucher }) {
  if (voucher.usableAt.length === 0) return words.facts.everywhere(voucher.platform)
  return (
    <ul>
      {voucher.usableAt.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  )
}

function Network({ onchain, hasPin }: { readonly onchain: Onchain; readonly hasPin: boolean }) {
  const { network, vault, vaultUrl, transactionUrl, state } = onchain
  return (
    <>
      {network}
      <span className="facts-more">
        {words.onchain.heldBy} <ExplorerLink url={vaultUrl} name={vault} />
      </span>
      {transactionUrl !== '' && (
        <span className="facts-more">
          <ExplorerLink url={transactionUrl}>{words.onchain.creation}</ExplorerLink>
        </span>
      )}
      {/* The vault takes redemptions of a voucher with a PIN from the platform only, which checks the PIN. */}
      {state === 'open' && !hasPin && <span className="facts-more">{words.onchain.withoutUs(network)}</span>}
    </>
  )
}

function Expiry({ voucher, now }: VoucherFactsProps) {
  if (voucher.expiresAt === '') return words.facts.noExpiry
  const soon = voucher.isExpired ? '' : daysInWords(now, dayAt(voucher.lastDay))
  return (
    <>
      <time dateTime={voucher.expiresAt}>{writeMoment(dayAt(voucher.lastDay), 'day')}</time>
      {soon !== '' && <strong className="facts-soon">, {soon}</strong>}
      {!voucher.isExpired && (
        <span className="facts-more">
          {voucher.expiredTo === 'payer' ? words.facts.leftToPayer : words.facts.leftUnclaimed(voucher.issuer)}
        </span>
      )}
    </>
  )
}

/** Noon in the reader's time zone, so that every reader sees the issuer's date. */
export function dayAt(date: string): Date {
  return new Date(`${date}T12:00`)
}

const soonDays = 30

/** Such as "tomorrow" or "in 12 days"; empty if it is more than 30 days away. */
function daysInWords(from: Date, to: Date): string {
  const days = Math.round((startOfDay(to) - startOfDay(from)) / 86_400_000)
  return days <= soonDays ? new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day') : ''
}

function startOfDay(date: Date): number {
  return new Date(date).setHours(0, 0, 0, 0)
}
