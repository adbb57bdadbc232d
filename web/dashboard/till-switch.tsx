import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { DigitsField } from '../ui/digits-field.tsx'
import { Notice } from '../ui/notice.tsx'
import { act, forgetAll, useKnown } from './ask-dashboard.ts'
import { Screen } from './frame.tsx'
import { go, Link, root } from './place.ts'
import { Loaded, useShop } from './shop.tsx'
import './till.css'
import { useEscape } from './use-escape.ts'
import { sayRefusal, words } from './words.ts'

type Cashier = { readonly id: string; readonly name: string; readonly isPinSet: boolean }
type AtTill = { readonly cashiers: readonly Cashier[]; readonly me: string }

/** The till is left to somebody else: a name, then the pin. */
export function Switch() {
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
  const [isAsking, setIsAsking] = useState(false)
  const enter = async (typed: string) => {
    setPin(typed)
    if (typed.length < pinLength || isAsking) return
    setIsAsking(true)
    const answer = await act('/merchant/till/switch', { memberId: cashier.id, pin: typed })
    setIsAsking(false)
    setPin('')
    if ('refusal' in answer) {
      setFault(sayRefusal(answer.refusal))
      return
    }
    // Nothing of the one before stays.
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
      {fault !== '' && !isAsking && <Notice kind="error">{fault}</Notice>}
      <div className="acts">
        <Button onClick={onBack}>{words.till.notMe}</Button>
      </div>
    </div>
  )
}
