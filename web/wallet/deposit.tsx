import { useEffect, useState } from 'react'
import type { Refusal } from '../ui/ask-server.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { isZero, readDecimal } from '../ui/decimal.ts'
import { Field } from '../ui/field.tsx'
import { Moment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { Facts } from '../ui/facts.tsx'
import { act, type Coin, type CoinDeposit } from './ask-wallet.ts'
import { Screen } from './frame.tsx'
import { useKnown } from './known.ts'
import { Done, Loaded, Money } from './parts.tsx'
import { go, Link } from './route.ts'
import { useAct } from './use-act.ts'
import { sayRefusal, words } from './words.ts'

export function Deposit() {
  const coins = useKnown<{ readonly coins: readonly Coin[] }>('/wallet/coins')
  const open = useKnown<{ readonly deposits: readonly CoinDeposit[] }>('/wallet/deposits')
  const [chosen, setChosen] = useState('')
  const [amount, setAmount] = useState('')
  const asking = useAct<CoinDeposit>()
  const made = asking.done?.id
  useEffect(() => {
    if (made !== undefined) go(`/deposit/${made}`)
  }, [made])
  const all = coins.data?.coins ?? []
  const coin = all.find((each) => nameOf(each) === chosen) ?? all[0]
  return (
    <Screen heading={words.deposit.heading} back="/">
      <Loaded known={coins}>
        {() =>
          coin === undefined ? (
            <Notice>{words.deposit.none}</Notice>
          ) : (
            <form
              className="fields"
              noValidate
              onSubmit={(event) => {
                event.preventDefault()
                const { networkId, currency } = coin
                asking.start((key) =>
                  act('/wallet/deposits', { networkId, currency, amount: readDecimal(amount) }, key),
                )
              }}
            >
              <Choice
                label={words.deposit.coin}
                value={nameOf(coin)}
                onChange={(event) => setChosen(event.target.value)}
                options={all.map((each) => [nameOf(each), nameOf(each)])}
              />
              <Field
                label={words.amount}
                hint={words.deposit.amountHint}
                inputMode="decimal"
                autoComplete="off"
                value={amount}
                onChange={(event) => setAmount(event.target.value)}
              />
              <Refused refusal={asking.refusal} />
              <div className="acts">
                <Button kind="main" type="submit" aria-disabled={asking.state !== 'idle'}>
                  {asking.state === 'idle' ? words.deposit.act : words.oneMoment}
                </Button>
              </div>
            </form>
          )
        }
      </Loaded>
      <ul className="wallet-waiting">
        {(open.data?.deposits ?? [])
          .filter(({ status }) => status === 'waiting')
          .map(({ id, toDeposit, currency, network }) => (
            <li key={id}>
              <Link className="wallet-card" to={`/deposit/${id}`}>
                <span>
                  {words.deposit.waiting}
                  <br />
                  <strong>
                    <Money value={toDeposit} code={currency} />
                  </strong>{' '}
                  <span className="soft">{network}</span>
                </span>
                <span className="wallet-card-act">{words.home.look}</span>
              </Link>
            </li>
          ))}
      </ul>
    </Screen>
  )
}

function nameOf({ currency, network }: Coin): string {
  return `${currency}, ${network}`
}

function Refused({ refusal }: { readonly refusal: Refusal | null }) {
  return refusal === null ? null : <Notice kind="error">{sayRefusal(refusal)}</Notice>
}

const lookAgainMs = 1_500

/** Where to pay to, and how far the payment is. */
export function OneDeposit({ id }: { readonly id: string }) {
  const known = useKnown<CoinDeposit>(`/wallet/deposits/${id}`)
  const { retry } = known
  const isWaiting = known.data?.status === 'waiting'
  useEffect(() => {
    if (!isWaiting) return
    // A block says nothing to the person's own stream.
    const timer = setInterval(() => document.visibilityState === 'visible' && retry(), lookAgainMs)
    return () => clearInterval(timer)
  }, [isWaiting, retry])
  return (
    <Screen heading={words.deposit.heading} back="/deposit">
      <Loaded known={known}>{(deposit) => <Address deposit={deposit} />}</Loaded>
    </Screen>
  )
}

function Address({ deposit }: { readonly deposit: CoinDeposit }) {
  const { status, address, network, currency, amount, toDeposit, charge, seen, expiresAt } = deposit
  const [isCopied, setIsCopied] = useState(false)
  if (status === 'done')
    return (
      <Done heading={words.deposit.done} lead={network}>
        <Money value={amount} code={currency} size="large" tone="in" />
      </Done>
    )
  if (status !== 'waiting') return <Notice>{status === 'undone' ? words.deposit.undone : words.deposit.ended}</Notice>
  const isSeen = !isZero(seen)
  return (
    <>
      <p className="soft">{words.deposit.pay}</p>
      <p className="wallet-large">
        <Money value={toDeposit} code={currency} size="large" />
      </p>
      <p className="soft">{words.deposit.to}</p>
      <p className="wallet-address">{address}</p>
      <div className="acts">
        <Button onClick={() => void navigator.clipboard.writeText(address).then(() => setIsCopied(true))}>
          {isCopied ? words.deposit.copied : words.deposit.copy}
        </Button>
      </div>
      <div className="wallet-qr">
        <QrCode content={address} label={words.deposit.qr} />
      </div>
      <p>{words.deposit.onNetwork(network)}</p>
      <Facts
        rows={[
          [words.deposit.cost, <Money key="cost" value={charge} code={currency} />],
          [words.deposit.until, <Moment key="until" at={expiresAt} form="time" />],
        ]}
      />
      <p className="wallet-progress" role="status" data-seen={isSeen || undefined}>
        {isSeen ? words.deposit.seen : words.deposit.waiting}
        {isSeen && (
          <>
            {': '}
            <Money value={seen} code={currency} />
          </>
        )}
      </p>
    </>
  )
}
