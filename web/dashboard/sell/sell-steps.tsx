import { Mail, Ticket } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Button } from '../../ui/button.tsx'
import { DateField } from '../../ui/date-field.tsx'
import { DigitsField } from '../../ui/digits-field.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Field } from '../../ui/field.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import type { Card } from '../parts/code-form.tsx'
import { addDays, dayIn } from '../parts/days.ts'
import type { FaultsShown } from '../parts/use-faults.ts'
import { Money, useShop } from '../shell/shop.tsx'
import { selling } from '../words/selling.ts'
import { words } from '../words/words.ts'
import { AmountFields, PriceField } from './amount-fields.tsx'
import { isAmount } from './amounts.ts'
import { PaymentFields } from './payment-fields.tsx'
import { readDecimal } from '../../ui/numbers.ts'
import { lockPinLength, type SaleInput } from './sale-input.ts'

type StepProps = { readonly heading: string; readonly lead: string; readonly children: ReactNode }

function Step({ heading, lead, children }: StepProps) {
  const id = useId()
  return (
    <section className="sell-step" aria-labelledby={id}>
      <div>
        <h2 id={id}>{heading}</h2>
        <p className="soft">{lead}</p>
      </div>
      <div className="sell-fields">{children}</div>
    </section>
  )
}

type SellStepsProps = {
  readonly input: SaleInput
  readonly card: Card | undefined
  readonly faults: FaultsShown
  readonly onChange: (changes: Partial<SaleInput>) => void
  readonly onOtherCard?: (() => void) | undefined
}

/** One page from top to bottom, in the order of the conversation with the customer. */
export function SellSteps(props: SellStepsProps): ReactNode {
  const { input, card, faults, onChange } = props
  const { amount, currency, payment } = input
  return (
    <div className="card sell-steps">
      {card !== undefined && <CardStep card={card} onOtherCard={props.onOtherCard} />}
      <Step heading={selling.sell.amount} lead={selling.sell.amountLead}>
        {card !== undefined && isAmount(card.voucher.amount) ? (
          <>
            <Facts
              kind="plain"
              rows={[[selling.sell.printed, <Money key="amount" value={card.voucher.amount} code={currency} />]]}
            />
            <PriceField
              currency={currency}
              payment={payment}
              faults={faults}
              onPayment={(next) => onChange({ payment: next })}
            />
          </>
        ) : (
          <AmountFields
            amount={amount}
            currency={currency}
            isCurrencyFixed={card !== undefined}
            payment={payment}
            faults={faults}
            onAmount={(next) => onChange({ amount: next })}
            onCurrency={(next) => onChange({ currency: next })}
            onPayment={(next) => onChange({ payment: next })}
          />
        )}
      </Step>
      {card === undefined && <RecipientStep input={input} faults={faults} onChange={onChange} />}
      <OptionsStep input={input} faults={faults} onChange={onChange} />
      <Step heading={selling.sell.payment} lead={selling.sell.paymentLead}>
        <PaymentFields
          payment={payment}
          amount={readDecimal(amount)}
          currency={currency}
          faults={faults}
          onChange={(next) => onChange({ payment: next })}
        />
      </Step>
    </div>
  )
}

type CardStepProps = { readonly card: Card; readonly onOtherCard: (() => void) | undefined }

function CardStep({ card, onOtherCard }: CardStepProps) {
  return (
    <Step heading={selling.sell.card} lead={selling.sell.cardOf(card.code.slice(-4))}>
      <div className="acts">
        <Button onClick={onOtherCard}>{selling.sell.otherCard}</Button>
      </div>
    </Step>
  )
}

type PartProps = Pick<SellStepsProps, 'input' | 'faults' | 'onChange'>

function RecipientStep({ input, faults, onChange }: PartProps) {
  const { delivery, email, sender } = input
  return (
    <Step heading={selling.sell.recipient} lead={selling.sell.recipientLead}>
      <Segmented
        label={selling.sell.recipient}
        isWide
        value={delivery}
        options={[
          [
            'hand',
            <>
              <Ticket aria-hidden="true" />
              {selling.sell.deliveries.hand}
            </>,
          ],
          [
            'email',
            <>
              <Mail aria-hidden="true" />
              {selling.sell.deliveries.email}
            </>,
          ],
        ]}
        onChoose={(next) => onChange({ delivery: next })}
      />
      {delivery === 'email' && (
        <>
          <div className="sell-two">
            <Field
              label={selling.sell.email}
              error={faults.of('email')}
              type="email"
              autoComplete="off"
              maxLength={254}
              value={email}
              onChange={(event) => onChange({ email: event.target.value })}
            />
            <Field
              label={selling.sell.sender}
              hint={selling.sell.optional}
              autoComplete="off"
              maxLength={100}
              value={sender}
              onChange={(event) => onChange({ sender: event.target.value })}
            />
          </div>
          <GiftMessage input={input} faults={faults} onChange={onChange} />
        </>
      )}
    </Step>
  )
}

function GiftMessage({ input: { message, sendOn }, faults, onChange }: PartProps) {
  const today = dayIn(useShop().merchant.timeZone, new Date())
  return (
    <>
      <TextArea
        label={selling.sell.message}
        hint={selling.sell.optional}
        rows={2}
        maxLength={500}
        value={message}
        onChange={(event) => onChange({ message: event.target.value })}
      />
      <DateField
        label={selling.sell.sendOn}
        hint={selling.sell.sendOnHint}
        min={addDays(today, 1)}
        max={addDays(today, 365)}
        value={sendOn ?? ''}
        error={faults.of('sendOn')}
        onDay={(day) => onChange({ sendOn: day })}
      />
    </>
  )
}

function OptionsStep({ input: { lockPin, expiresAt }, faults, onChange }: PartProps) {
  const today = dayIn(useShop().merchant.timeZone, new Date())
  return (
    <Step heading={selling.sell.options} lead={selling.sell.optionsLead}>
      <div className="sell-two">
        <DigitsField
          label={words.issue.pin}
          hint={words.issue.pinHint}
          error={faults.of('lockPin')}
          length={lockPinLength}
          value={lockPin}
          onDigits={(digits) => onChange({ lockPin: digits })}
        />
        <DateField
          label={words.issue.expires}
          hint={words.issue.expiresHint}
          min={today}
          value={expiresAt ?? ''}
          error={faults.of('expiresAt')}
          onDay={(day) => onChange({ expiresAt: day })}
        />
      </div>
    </Step>
  )
}
