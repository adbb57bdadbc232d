import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Field, focusFirstInvalid } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import type { SaleLimits as Limits } from '../shell/responses.ts'
import { act, refresh, useAct, useKnown } from '../shell/request-dashboard.ts'
import { place } from '../shell/place.ts'
import { Loaded, Money, useShop } from '../shell/shop.tsx'
import { onSubmit } from '../parts/use-faults.ts'
import { codeFieldOf, useOneTimeCode } from '../parts/use-one-time-code.tsx'
import { usePin } from '../parts/use-pin.tsx'
import { selling } from '../words/selling.ts'
import { describeError, words } from '../words/words.ts'
import { useLimit } from './limit-input.ts'

const path = '/merchant/sale-limits'
const sellers = ['cashier', 'accountant', 'owner', 'key'] as const

/** What each staff member and each key may sell in 24 hours. */
export function SaleLimits(): ReactNode {
  const known = useKnown<Limits>(path)
  const { merchant } = useShop()
  const [isChanging, setIsChanging] = useState(false)
  const { tell, shown } = useOutcome(describeError)
  const finish = () => {
    setIsChanging(false)
    tell({ data: null }, selling.saleLimits.saved)
    void refresh(path)
  }
  return (
    <section className="section narrow">
      <h2>{selling.saleLimits.heading}</h2>
      <p className="soft">{selling.saleLimits.lead}</p>
      {shown}
      <Loaded known={known}>
        {(limits) => (
          <>
            <Facts rows={sellers.map((seller) => [selling.saleLimits.names[seller], show(limits, seller)])} />
            {merchant.role === 'owner' && (
              <div className="acts">
                <Button onClick={() => setIsChanging(true)}>{selling.saleLimits.change}</Button>
              </div>
            )}
            {isChanging && <ChangeSaleLimits limits={limits} onClose={() => setIsChanging(false)} onDone={finish} />}
          </>
        )}
      </Loaded>
    </section>
  )
}

function show(limits: Limits, seller: (typeof sellers)[number]): ReactNode {
  const limit = limits[seller]
  return limit === 'none' ? selling.saleLimits.none : <Money key={seller} value={limit} code={limits.currency} />
}

type ChangeSaleLimitsProps = { readonly limits: Limits; readonly onClose: () => void; readonly onDone: () => void }

/** An owner confirms new limits with the PIN in test mode, and with a one-time code in live mode. */
function ChangeSaleLimits({ limits, onClose, onDone }: ChangeSaleLimitsProps) {
  const { cashier, accountant, owner, key } = limits
  const fields = {
    cashier: useLimit(cashier),
    accountant: useLimit(accountant),
    owner: useLimit(owner),
    key: useLimit(key),
  }
  const saving = useAct<unknown>()
  const { state, start } = saving
  const pin = usePin(saving)
  const oneTimeCode = useOneTimeCode(saving)
  const isTest = place?.mode === 'test'
  const confirmation = isTest ? pin : oneTimeCode
  const isBusy = state !== 'idle'
  const submit = onSubmit((form) => {
    if (isBusy) return
    if (!confirmation.check() || !sellers.every((seller) => fields[seller].isValid)) {
      focusFirstInvalid(form)
      return
    }
    const changed = Object.fromEntries(sellers.map((seller) => [seller, fields[seller].limit]))
    const body = { ...changed, ...(isTest ? { pin: pin.take() } : codeFieldOf(oneTimeCode.take())) }
    start(
      () => act(path, body),
      (answer) => 'refusal' in answer || onDone(),
    )
  })
  return (
    <Dialog heading={selling.saleLimits.change} isBusy={isBusy} onClose={onClose}>
      <p className="soft">{selling.saleLimits.blank}</p>
      <form className="fields" noValidate onChange={saving.forget} onSubmit={submit}>
        {sellers.map((seller) => (
          <Field
            key={seller}
            label={selling.saleLimits.fields[seller](limits.currency)}
            {...fields[seller].field}
            disabled={isBusy}
          />
        ))}
        {confirmation.field}
        <Checking state={state} words={words.checking} />
        {confirmation.otherRefusal !== null && <Notice kind="error">{describeError(confirmation.otherRefusal)}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy}>
            {isBusy ? words.oneMoment : selling.saleLimits.save}
          </Button>
          <Button aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
            {words.cancel}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
