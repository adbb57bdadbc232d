import { lazy, Suspense, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Checking } from '../ui/checking.tsx'
import { DigitsField } from '../ui/digits-field.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { act, type WalletVoucher } from './ask-wallet.ts'
import { Screen } from './frame.tsx'
import { useKnown } from './known.ts'
import { Done, Money } from './parts.tsx'
import { useAct } from './use-act.ts'
import { sayRefusal, words } from './words.ts'

// Reading pictures takes more code than all the rest: it comes when the camera is wanted.
const Scan = lazy(() => import('../ui/scan.tsx'))

type Redeemed = { readonly amount: string; readonly currency: string }

/** A code that was typed, scanned, or is among the person's own vouchers, into the wallet. */
export function Redeem({ id }: { readonly id: string | undefined }) {
  const mine = useKnown<{ readonly vouchers: readonly WalletVoucher[] }>('/wallet/vouchers?limit=50')
  const own = mine.data?.vouchers.find((voucher) => voucher.id === id)?.code ?? ''
  const [typed, setTyped] = useState('')
  const [lockPin, setLockPin] = useState('')
  const [isScanning, setIsScanning] = useState(false)
  const redeeming = useAct<Redeemed>()
  const code = typed === '' ? own : typed
  const { state, refusal, done } = redeeming
  if (done !== null)
    return (
      <Screen heading={words.redeem.heading}>
        <Done heading={words.redeem.done} lead="">
          <Money value={done.amount} code={done.currency} size="large" tone="in" />
        </Done>
      </Screen>
    )
  const isBusy = state !== 'idle'
  const asksPin = lockPin !== '' || (refusal?.code.startsWith('VOUCHER_PIN') ?? false)
  return (
    <Screen heading={words.redeem.heading} back="/">
      {isScanning ? (
        <Suspense fallback={<Skeleton shape="square" />}>
          <Scan
            words={words.redeem}
            onCode={(found) => {
              setTyped(found)
              setIsScanning(false)
            }}
            onStop={() => setIsScanning(false)}
          />
        </Suspense>
      ) : (
        <form
          className="fields"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if (isBusy || code.trim() === '') return
            const body = { code: code.trim(), ...(lockPin !== '' && { lockPin }) }
            redeeming.start((key) => act('/wallet/vouchers/redeem', body, key))
          }}
        >
          <Field
            label={words.redeem.code}
            hint={words.redeem.codeHint}
            face="code"
            autoCapitalize="characters"
            autoComplete="off"
            spellCheck={false}
            maxLength={64}
            value={code}
            onChange={(event) => setTyped(event.target.value)}
          />
          {asksPin && (
            <DigitsField
              label={words.redeem.lockPin}
              hint={words.redeem.lockPinHint}
              length={4}
              value={lockPin}
              onDigits={setLockPin}
            />
          )}
          <Checking state={state} words={words.confirm} />
          {!isBusy && refusal !== null && <Notice kind="error">{sayRefusal(refusal)}</Notice>}
          <div className="acts">
            <Button kind="main" type="submit" aria-disabled={isBusy}>
              {isBusy ? words.oneMoment : words.redeem.act}
            </Button>
            <Button onClick={() => setIsScanning(true)}>{words.redeem.scan}</Button>
          </div>
        </form>
      )}
    </Screen>
  )
}
