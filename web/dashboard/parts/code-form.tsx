import { ScanQrCode } from 'lucide-react'
import { type ChangeEvent, lazy, type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import type { Answer, Refusal } from '../../ui/send-request.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { groupTyped, isMistyped, readTyped } from '../../ui/voucher-address.ts'
import type { ShownVoucher, StoreVoucher } from '../shell/responses.ts'
import { act } from '../shell/request-dashboard.ts'
import { describeError, words } from '../words/words.ts'
import './code-form.css'

// Reading QR codes takes more script than the rest of the till, so it is loaded with the camera.
const Scan = lazy(() => import('../../ui/scan.tsx'))

/** A card of a batch that was not sold yet. */
export type Card = { readonly code: string; readonly voucher: ShownVoucher }

type CodeFormProps = {
  readonly onVoucher: (voucher: ShownVoucher) => void
  readonly onCard: (card: Card) => void
}

/** One field for a code that is typed, pasted or scanned. A hand scanner types like a fast keyboard. */
export function CodeForm(props: CodeFormProps): ReactNode {
  const form = useRef<HTMLFormElement>(null)
  const [typed, setTyped] = useState('')
  const [isScanning, setIsScanning] = useState(false)
  const { fault, setFault, isFetching, fetchVoucher } = useFetchVoucher(form, props)
  useTypeAnywhere(form)

  const change = ({ target }: ChangeEvent<HTMLInputElement>) => {
    // Grouping while the caret is in the middle would move it to the end, so that waits until the field loses the focus.
    const isAtEnd = target.selectionStart === target.value.length
    const text = isAtEnd ? writeCode(target.value) : target.value
    setTyped(text)
    setFault(isMistyped(text) ? words.till.mistyped : '')
  }
  const takeScanned = (code: string) => {
    setIsScanning(false)
    setTyped(writeCode(code))
    void fetchVoucher(code)
  }
  if (isScanning)
    return (
      <Suspense fallback={<Skeleton shape="square" />}>
        <Scan words={words.till} onCode={takeScanned} onStop={() => setIsScanning(false)} />
      </Suspense>
    )
  return (
    <form
      className="code-form"
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void fetchVoucher(typed)
      }}
    >
      <Field
        label={words.till.code}
        hint={words.till.codeHint}
        error={fault}
        face="code"
        autoFocus
        autoCapitalize="characters"
        autoComplete="off"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="go"
        maxLength={400}
        placeholder="XXXX-XXXX-XXXX-XXXX"
        value={typed}
        onChange={change}
        onBlur={() => setTyped(writeCode(typed))}
      />
      <CodeActs isFetching={isFetching} onScan={() => setIsScanning(true)} />
    </form>
  )
}

/** What can be done with a voucher of the shop, or with a card. */
export const storeVoucherPath = '/merchant/till/store-voucher'

type CodeActsProps = { readonly isFetching: boolean; readonly onScan: () => void }

function CodeActs({ isFetching, onScan }: CodeActsProps) {
  return (
    <div className="acts">
      <Button kind="main" size="l" type="submit" aria-disabled={isFetching}>
        {isFetching ? words.oneMoment : words.till.continue}
      </Button>
      <Button size="l" onClick={onScan}>
        <ScanQrCode aria-hidden="true" />
        {words.till.scan}
      </Button>
    </div>
  )
}

type FetchVoucher = {
  readonly fault: string
  readonly setFault: (fault: string) => void
  readonly isFetching: boolean
  readonly fetchVoucher: (text: string) => Promise<void>
}

/** Fetches a voucher by its code. The response for an earlier code is dropped when the next code is entered. */
function useFetchVoucher(form: RefObject<HTMLFormElement | null>, { onVoucher, onCard }: CodeFormProps): FetchVoucher {
  const [fault, setFault] = useState('')
  const [isFetching, setIsFetching] = useState(false)
  const newest = useRef(0)
  // Drops the response after the form is gone.
  useEffect(
    () => () => {
      newest.current = -1
    },
    [],
  )
  const fetchVoucher = async (text: string): Promise<void> => {
    const code = readTyped(text)?.code ?? ''
    if (code === '') {
      setFault(words.till.codeMissing)
      inputOf(form.current)?.focus()
      return
    }
    const own = ++newest.current
    setIsFetching(true)
    const found = await findVoucher(code)
    if (own !== newest.current) return
    setIsFetching(false)
    if ('data' in found) {
      const { voucher } = found.data
      if (voucher.state === 'inactive') onCard({ code, voucher })
      else onVoucher(voucher)
      return
    }
    setFault(describeFault(text, found.refusal))
    // The next scan replaces the selected text.
    inputOf(form.current)?.select()
  }
  return { fault, setFault, isFetching, fetchVoucher }
}

/** A voucher that can be redeemed here, or a card of the shop that can be sold. */
async function findVoucher(voucherCode: string): Promise<Answer<Pick<StoreVoucher, 'voucher'>>> {
  const answer = await act<ShownVoucher>('/merchant-integrations/verify-voucher', { voucherCode })
  if ('data' in answer) return { data: { voucher: answer.data } }
  // This response has no details: the card is looked up as one of the shop.
  if (answer.refusal.code === 'VOUCHER_INACTIVE') return act<StoreVoucher>(storeVoucherPath, { voucherCode })
  return answer
}

/** For an unknown code that cannot be one of ours, what to do about it says more than the response. */
function describeFault(text: string, refusal: Refusal): string {
  if (refusal.code === 'SESSION_MISSING') return ''
  const isUnknown = refusal.code === 'VOUCHER_NOT_FOUND' || refusal.code === 'VOUCHER_CODE_MISTYPED'
  return isUnknown && isMistyped(text) ? words.till.mistyped : describeError(refusal)
}

/** In groups of four, with digits for the letters that look like them. An address stays as it is. */
function writeCode(text: string): string {
  const grouped = groupTyped(text)
  return grouped === text && /[.#/:]/.test(text) ? text : grouped.replaceAll('O', '0').replaceAll(/[IL]/g, '1')
}

function inputOf(form: HTMLFormElement | null): HTMLInputElement | null {
  return form?.querySelector('input') ?? null
}

/** Typing outside any field goes to the code: a hand scanner does not know where the focus is. */
function useTypeAnywhere(form: RefObject<HTMLFormElement | null>): void {
  useEffect(() => {
    const focusField = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      const isTyped = key.length === 1 && !ctrlKey && !metaKey && !altKey
      const isElsewhere = target instanceof Element && target.closest('input, select, textarea, [role=dialog]') !== null
      // The space bar presses buttons.
      if (isTyped && key !== ' ' && !isElsewhere) inputOf(form.current)?.focus()
    }
    addEventListener('keydown', focusField)
    return () => removeEventListener('keydown', focusField)
  }, [form])
}
