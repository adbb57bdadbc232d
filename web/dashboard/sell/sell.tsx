import { Clock, List } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { FilterChip } from '../../ui/chip.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Screen } from '../shell/frame.tsx'
import { Link } from '../shell/place.ts'
import { navigationOf, useShop } from '../shell/shop.tsx'
import { type Card, CodeForm } from '../parts/code-form.tsx'
import { useEscape } from '../parts/use-escape.ts'
import { useOutcome } from '../../ui/use-outcome.tsx'
import { selling } from '../words/selling.ts'
import { describeError } from '../words/words.ts'
import { nameRegister, useRegister } from './register.ts'
import { type Done, SellForm } from './sell-form.tsx'
import './sell.css'
import { Sold } from './sold.tsx'

type Mode = 'new' | 'card'

/** Sells vouchers, one customer after the other. */
export function Sell(): ReactNode {
  const { merchant } = useShop()
  const isTill = navigationOf(merchant.role, 'sell') === 'till'
  const [mode, setMode] = useState<Mode>('new')
  const [sales, setSales] = useState(0)
  return (
    <Screen heading={selling.sell.heading} back={isTill ? '/till' : '/vouchers'} acts={<Acts />}>
      <OneSale key={sales} mode={mode} onMode={setMode} onNext={() => setSales(sales + 1)} />
    </Screen>
  )
}

/** The register of this device, its shift, and the list of sales. */
function Acts(): ReactNode {
  const { registers, register, choose } = useRegister()
  return (
    <>
      {registers.length > 0 && (
        <FilterChip
          label={selling.register.label}
          value={register?.id ?? ''}
          options={registers.map((each) => [each.id, nameRegister(each)])}
          any={selling.register.none}
          clearLabel={selling.register.clear}
          onChoose={choose}
        />
      )}
      <Link className="button" data-kind="quiet" to="/sell/shift">
        <Clock aria-hidden="true" />
        {selling.sell.shift}
      </Link>
      <Link className="button" data-kind="quiet" to="/sell/sales">
        <List aria-hidden="true" />
        {selling.sell.sales}
      </Link>
    </>
  )
}

type OneSaleProps = { readonly mode: Mode; readonly onMode: (mode: Mode) => void; readonly onNext: () => void }

function OneSale({ mode, onMode, onNext }: OneSaleProps) {
  const [done, setDone] = useState<Done | null>(null)
  if (done !== null) return <Sold done={done} onNext={onNext} />
  return (
    <>
      <div>
        <Segmented
          label={selling.sell.what}
          value={mode}
          options={[
            ['new', selling.sell.modes.new],
            ['card', selling.sell.modes.card],
          ]}
          onChoose={onMode}
        />
      </div>
      {mode === 'new' ? <SellForm onSold={setDone} /> : <SellCard onSold={setDone} />}
    </>
  )
}

type SellCardProps = { readonly onSold: (done: Done) => void }

/** Scans a card of a batch and sells it, which activates it. */
function SellCard({ onSold }: SellCardProps) {
  const [card, setCard] = useState<Card | null>(null)
  const { tell, shown } = useOutcome(describeError)
  useEscape(() => setCard(null))
  if (card !== null) return <SellForm card={card} onSold={onSold} onOtherCard={() => setCard(null)} />
  return (
    <>
      <p className="soft">{selling.sell.cardLead}</p>
      <CodeForm
        onVoucher={() => tell({ refusal: { code: 'CARD_SOLD', message: '' } }, '')}
        onCard={(scanned) => setCard(scanned)}
      />
      {shown}
    </>
  )
}
