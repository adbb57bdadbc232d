import { RotateCcwKey } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DigitsField } from '../../ui/digits-field.tsx'
import { Keypad } from '../../ui/keypad.tsx'
import { readDecimal } from '../../ui/numbers.ts'
import { formatMoney, useShop } from '../shell/shop.tsx'
import { words } from '../words/words.ts'

export const voucherPinLength = 4

type VoucherPinProps = {
  /** As typed, or "max". */
  readonly amount: string
  readonly currency: string
  readonly pin: string
  readonly error: string
  readonly isFocused: boolean
  readonly onPin: (digits: string) => void
}

/** The PIN of a locked voucher, typed here or by the customer on a screen of their own. */
export function VoucherPin(props: VoucherPinProps): ReactNode {
  const { pin, error, isFocused, onPin } = props
  const [isTurned, setIsTurned] = useState(false)
  return (
    <div className="till-pin">
      <DigitsField
        label={words.till.pin}
        hint={words.till.pinHint}
        length={voucherPinLength}
        autoFocus={isFocused}
        value={pin}
        error={error}
        onDigits={onPin}
      />
      <Button onClick={() => setIsTurned(true)}>
        <RotateCcwKey aria-hidden="true" />
        {words.till.turnScreen}
      </Button>
      {isTurned && <CustomerScreen {...props} onClose={() => setIsTurned(false)} />}
    </div>
  )
}

/** What the customer sees: the shop, the amount, and keys for the PIN. */
function CustomerScreen({ amount, currency, pin, onPin, onClose }: VoucherPinProps & { readonly onClose: () => void }) {
  const { merchant } = useShop()
  const change = (digits: string) => {
    onPin(digits)
    if (digits.length === voucherPinLength) onClose()
  }
  const typed = readDecimal(amount)
  const money =
    amount === 'max' ? words.till.fullBalance : /^\d+(\.\d+)?$/.test(typed) ? formatMoney(typed, currency) : ''
  return (
    <Dialog heading={merchant.name} onClose={onClose}>
      <div className="till-customer">
        <p className="till-customer-amount">{money}</p>
        <DigitsField label={words.till.customerPin} length={voucherPinLength} value={pin} onDigits={change} />
        <Keypad
          label={words.till.keypad}
          deleteLabel={words.till.deleteKey}
          onKey={(key) => change(`${pin}${key}`.slice(0, voucherPinLength))}
          onDelete={() => onPin(pin.slice(0, -1))}
        />
        <Button kind="bare" onClick={onClose}>
          {words.close}
        </Button>
      </div>
    </Dialog>
  )
}
