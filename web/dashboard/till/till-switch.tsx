import { useState, type ReactNode } from 'react'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { DigitsField } from '../../ui/digits-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { AtTill, Cashier } from '../shell/responses.ts'
import { act, forgetAll, useKnown } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { go, Link, root } from '../shell/place.ts'
import { Loaded, useShop } from '../shell/shop.tsx'
import './till.css'
import { useEscape } from '../parts/use-escape.ts'
import { describeError, words } from '../words/words.ts'

/** Hands the till over to another cashier, who selects a name and enters the PIN. */
export function SwitchCashier(): ReactNode {
  const known = useKnown<AtTill>('/merchant/till')
  const { merchant } = useShop()
  const [chosen, setChosen] = useState<Cashier | null>(null)
  useEscape(() => {
    if (chosen === null) go('/till')
    else setChosen(null)
  })
  if (chosen !== null)
    return (
      <Screen heading={chosen.name}>
        <EnterPin cashier={chosen} onBack={() => setChosen(null)} />
      </Screen>
    )
  const back = (
    <Link className="button" data-kind="quiet" to="/till">
      {words.till.stay}
    </Link>
  )
  return (
    <Screen heading={words.till.who} acts={back}>
      <p className="soft">{words.till.whoLead}</p>
      {!merchant.isTill && <p className="soft">{words.till.whoEnds}</p>}
      <Loaded known={known}>
        {({ cashiers, me }) => (
          <>
            <ul className="till-cashiers">
              {cashiers.map((cashier) => (
                <li key={cashier.id}>
                  <button
                    type="button"
                    aria-current={cashier.id === me || undefined}
                    disabled={!cashier.isPinSet}
                    onClick={() => setChosen(cashier)}
                  >
                    <Avatar name={cashier.name} size="l" />
                    <strong>{cashier.name}</strong>
                    {!cashier.isPinSet && <span className="soft">{words.till.noPin}</span>}
                  </button>
                </li>
              ))}
            </ul>
            {cashiers.some(({ isPinSet }) => !isPinSet) && <p className="soft">{words.till.noPinHint}</p>}
          </>
        )}
      </Loaded>
    </Screen>
  )
}

const pinLength = 6

function EnterPin({ cashier, onBack }: { readonly cashier: Cashier; readonly onBack: () => void }) {
  const [pin, setPin] = useState('')
  const [fault, setFault] = useState('')
  const [isSending, setIsSending] = useState(false)
  const enter = async (typed: string) => {
    setPin(typed)
    if (typed.length < pinLength || isSending) return
    setIsSending(true)
    const response = await act('/merchant/till/switch', { memberId: cashier.id, pin: typed })
    setIsSending(false)
    setPin('')
    if ('refusal' in response) {
      setFault(describeError(response.refusal))
      return
    }
    // Clears the data of the previous cashier.
    forgetAll()
    location.assign(`${root}/till`)
  }
  return (
    <div className="fields">
      <DigitsField
        label={words.till.myPin(cashier.name)}
        hint={words.till.pinSix}
        length={pinLength}
        autoFocus
        value={pin}
        onDigits={(typed) => void enter(typed)}
      />
      {fault !== '' && !isSending && <Notice kind="error">{fault}</Notice>}
      <div className="acts">
        <Button onClick={onBack}>{words.till.notMe}</Button>
      </div>
    </div>
  )
}
