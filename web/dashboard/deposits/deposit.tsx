import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { ExplorerLink } from '../../ui/explorer-link.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import type { OneDepositCase } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { Status } from '../parts/status.tsx'
import { Link } from '../shell/place.ts'
import { Loaded, Money, When } from '../shell/shop.tsx'
import { money } from '../words/money.ts'
import { describeError, nameOf, words } from '../words/words.ts'
import { CreditDialog, MatchDialog } from './resolve-deposit.tsx'
import { ReturnDialog } from './return-deposit.tsx'

const path = '/merchant-integrations-server/deposit-cases'

export function OneDeposit({ id }: { readonly id: string }): ReactNode {
  const known = useKnown<OneDepositCase>(`${path}/${id}`)
  return (
    <Screen heading={money.deposits.oneHeading} back="/deposits">
      <Loaded known={known}>{(found) => <Deposit found={found} />}</Loaded>
    </Screen>
  )
}

function Deposit({ found }: { readonly found: OneDepositCase }) {
  const { id, kind, amount, currency, reference, openedAt, resolvedAt, resolution, matchedReferenceId } = found
  return (
    <>
      <p>
        <Money value={amount} code={currency} size="large" />
      </p>
      <p>
        {resolution === '' ? (
          <Status of={kind} names={money.deposits.kinds} />
        ) : (
          <Status of={resolution} names={money.deposits.resolutions} />
        )}{' '}
        <span className="soft">{nameOf(money.deposits.kindLeads, kind)}</span>
      </p>
      <Acts key={id} found={found} />
      <div className="narrow">
        <Facts
          rows={[
            [
              money.deposits.reference,
              <Link key="reference" to={`/payments/${encodeURIComponent(reference)}`}>
                <code>{reference}</code>
              </Link>,
            ],
            [money.deposits.openedAt, <When key="opened" at={openedAt} />],
            ...(resolvedAt === ''
              ? []
              : [[money.deposits.resolvedAt, <When key="resolved" at={resolvedAt} />] as const]),
            ...(matchedReferenceId === ''
              ? []
              : [
                  [
                    money.deposits.matchedTo,
                    <Link key="matched" to={`/payments/${encodeURIComponent(matchedReferenceId)}`}>
                      <code>{matchedReferenceId}</code>
                    </Link>,
                  ] as const,
                ]),
          ]}
        />
      </div>
      <RequestFacts found={found} />
      <Payments found={found} />
    </>
  )
}

/** What the payer was asked for. */
function RequestFacts({ found: { deposit } }: { readonly found: OneDepositCase }) {
  const { requested, requestedCurrency, toDeposit, paid, payCurrency, status, expiresAt, network } = deposit
  const { address, explorerUrl } = deposit
  return (
    <section className="section">
      <h2>{money.deposits.facts}</h2>
      <div className="narrow">
        <Facts
          rows={[
            [money.deposits.requested, <Money key="requested" value={requested} code={requestedCurrency} />],
            [money.deposits.toDeposit, <Money key="due" value={toDeposit} code={payCurrency} />],
            [money.deposits.paid, <Money key="paid" value={paid} code={payCurrency} />],
            [money.deposits.status, <Status key="status" of={status} />],
            [money.deposits.expires, <When key="expires" at={expiresAt} />],
            [money.deposits.network, network],
            [
              money.deposits.address,
              <ExplorerLink key="address" url={explorerOf(explorerUrl, 'address', address)} name={address} />,
            ],
          ]}
        />
      </div>
    </section>
  )
}

function explorerOf(explorerUrl: string, kind: 'address' | 'tx', name: string): string {
  return explorerUrl === '' ? '' : `${explorerUrl}/${kind}/${name}`
}

type Paid = OneDepositCase['payments'][number]

function Payments({ found: { deposit, payments } }: { readonly found: OneDepositCase }) {
  const columns: readonly Column<Paid>[] = [
    {
      name: money.deposits.transaction,
      kind: 'head',
      cell: ({ transactionHash }) => (
        <ExplorerLink url={explorerOf(deposit.explorerUrl, 'tx', transactionHash)} name={transactionHash} />
      ),
    },
    { name: words.payments.status, cell: describePayment },
    { name: money.deposits.mined, kind: 'second', cell: ({ minedAt }) => <When at={minedAt} /> },
    {
      name: words.amount,
      kind: 'sum',
      cell: ({ amount, currency }) =>
        amount === '' ? money.deposits.unknownToken : <Money value={amount} code={currency} />,
    },
  ]
  if (payments.length === 0) return null
  return (
    <section className="section">
      <h2>{money.deposits.payments}</h2>
      <Table
        caption={money.deposits.paymentsCaption}
        columns={columns}
        rows={payments}
        keyOf={({ transactionHash, amount, currency }) => `${transactionHash} ${amount} ${currency}`}
      />
    </section>
  )
}

function describePayment({ isReversed, isCounted }: Paid): string {
  if (isReversed) return money.deposits.reversed
  return isCounted ? money.deposits.counted : money.deposits.notCounted
}

type Chosen = 'credit' | 'match' | 'return'

/** The decisions, while it waits for one. */
function Acts({ found }: { readonly found: OneDepositCase }) {
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const { tell, shown } = useOutcome(describeError)
  const dialog = {
    found,
    onClose: () => setChosen(null),
    onDone: (text: string) => {
      setChosen(null)
      tell({ data: null }, text)
    },
  }
  const isOpen = found.resolvedAt === ''
  return (
    <>
      {shown}
      {isOpen && !found.isReturnable && <Notice>{money.deposits.ofUser}</Notice>}
      {isOpen && (
        <div className="acts">
          <Button kind="main" onClick={() => setChosen('credit')}>
            {money.deposits.credit}
          </Button>
          {found.isReturnable && <Button onClick={() => setChosen('match')}>{money.deposits.match}</Button>}
          {found.isReturnable && <Button onClick={() => setChosen('return')}>{money.deposits.return}</Button>}
        </div>
      )}
      {chosen === 'credit' && <CreditDialog {...dialog} />}
      {chosen === 'match' && <MatchDialog {...dialog} />}
      {chosen === 'return' && <ReturnDialog {...dialog} />}
    </>
  )
}
