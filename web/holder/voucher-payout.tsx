import { Wallet } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { IconTile } from '../ui/avatar.tsx'
import '../ui/card.css'
import { Button } from '../ui/button.tsx'
import { isZero } from '../ui/decimal.ts'
import { useAct } from '../ui/use-act.ts'
import type { Answer, Refusal } from '../ui/send-request.ts'
import { PayoutConfirm } from './payout-confirm.tsx'
import { noPayout, PayoutForm, type PayoutInput } from './payout-form.tsx'
import { PayoutProgress } from './payout-progress.tsx'
import type { PayoutQuote, PayoutSent, Voucher } from './request-voucher.ts'
import type { ActOnVoucher } from './use-voucher.ts'
import './voucher-payout.css'
import { words } from './words.ts'

type VoucherPayoutProps = { readonly voucher: Voucher; readonly act: ActOnVoucher; readonly onChange: () => void }

/** Redeems an onchain voucher, or the refund of a crypto deposit, to a wallet address, and follows what is on its way. */
export function VoucherPayout({ voucher, act, onChange }: VoucherPayoutProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const [followedId, setFollowedId] = useState('')
  const processingId = voucher.history.find(({ payout }) => payout?.status === 'PROCESSING')?.id ?? ''
  if (processingId !== '' && processingId !== followedId) {
    setFollowedId(processingId)
    setIsOpen(false)
  }
  const followed = voucher.history.find(({ id, payout }) => id === (processingId || followedId) && payout !== null)
  const canRedeem = canRedeemToAddress(voucher) && processingId === ''
  if (followed === undefined && !canRedeem) return null
  const close = () => {
    setIsOpen(false)
    setFollowedId('')
  }
  return (
    <section className="card payout" aria-labelledby="payout-heading">
      {followed !== undefined && !isOpen ? (
        <PayoutProgress entry={followed} currency={voucher.currency}>
          {canRedeem && <Button onClick={() => setIsOpen(true)}>{words.payout.again}</Button>}
        </PayoutProgress>
      ) : isOpen && canRedeem ? (
        <PayoutSteps
          voucher={voucher}
          act={act}
          onClose={close}
          onSent={(id) => {
            setIsOpen(false)
            setFollowedId(id)
            onChange()
          }}
        />
      ) : (
        <PayoutOffer voucher={voucher} onOpen={() => setIsOpen(true)} />
      )}
    </section>
  )
}

function PayoutOffer({ voucher, onOpen }: { readonly voucher: Voucher; readonly onOpen: () => void }) {
  const { onchain, currency } = voucher
  return (
    <div className="payout-offer">
      <IconTile icon={Wallet} />
      <div>
        <h2 id="payout-heading">{words.payout.heading}</h2>
        <p className="soft">
          {onchain === null ? words.payout.refundLead : words.payout.lead(currency.abbreviation, onchain.network)}
        </p>
      </div>
      <div className="payout-offer-act">
        <Button onClick={onOpen}>{words.payout.start}</Button>
      </div>
    </div>
  )
}

/** A voucher for certain shops only is for them to redeem. */
function canRedeemToAddress({ onchain, payoutOptions, isExpired, balance, usableAt }: Voucher): boolean {
  const isOffered = onchain === null ? payoutOptions.length > 0 : onchain.state === 'open'
  return isOffered && !isExpired && !isZero(balance) && usableAt.length === 0
}

type PayoutStepsProps = Omit<VoucherPayoutProps, 'onChange'> & {
  readonly onClose: () => void
  readonly onSent: (id: string) => void
}

function PayoutSteps({ voucher, act, onClose, onSent }: PayoutStepsProps) {
  const [input, setInput] = useState<PayoutInput>(() => noPayout(voucher))
  const [quote, setQuote] = useState<PayoutQuote | null>(null)
  const [isRenewed, setIsRenewed] = useState(false)
  const [isLoading, setIsLoading] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const sending = useAct<PayoutSent>(() => undefined)

  const fetchQuote = async (wanted: PayoutInput, renewed: boolean): Promise<void> => {
    setIsLoading(true)
    setRefusal(null)
    const answer = await act<PayoutQuote>('/holder/voucher/quote', wanted)
    setIsLoading(false)
    setIsRenewed(renewed)
    setQuote('refusal' in answer ? null : answer.data)
    if ('refusal' in answer) setRefusal(answer.refusal)
  }
  const finish = (answer: Answer<PayoutSent>): void => {
    if ('data' in answer) {
      onSent(answer.data.id)
      return
    }
    if (answer.refusal.code === 'QUOTE_STALE') {
      void fetchQuote(input, true)
      return
    }
    setQuote(null)
    setRefusal(answer.refusal)
  }

  if (quote === null)
    return (
      <PayoutForm
        voucher={voucher}
        initial={input}
        refusal={refusal}
        isLoading={isLoading}
        onInput={(wanted) => {
          setInput(wanted)
          void fetchQuote(wanted, false)
        }}
        onCancel={onClose}
      />
    )
  return (
    <PayoutConfirm
      quote={quote}
      currency={voucher.currency}
      isRenewed={isRenewed}
      isLoading={isLoading}
      state={sending.done === null ? sending.state : 'sending'}
      onSend={() =>
        sending.start((key) => act('/holder/voucher/redeem', { ...input, quoteId: quote.quoteId }, key), finish)
      }
      onChange={() => setQuote(null)}
    />
  )
}
