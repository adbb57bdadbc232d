import { type ChangeEvent, lazy, type SubmitEvent, Suspense, useEffect, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { groupTyped, isMistyped, readTyped } from '../ui/voucher-address.ts'
import type { ShownVoucher } from './answers.ts'
import { act } from './ask-dashboard.ts'
import { sayRefusal, words } from './words.ts'

// Reading pictures takes more code than all the rest: it comes when the camera is wanted.
const Scan = lazy(() => import('../ui/scan.tsx'))

/** One field for everything that can bring a code: a keyboard, a hand scanner, which is a quick one, a paste, the camera. */
export function TillCode({ onVoucher }: { readonly onVoucher: (voucher: ShownVoucher) => void }) {
  const form = useRef<HTMLFormElement>(null)
  const [typed, setTyped] = useState('')
  const [fault, setFault] = useState('')
  const [isAsking, setIsAsking] = useState(false)
  const [isScanning, setIsScanning] = useState(false)
  /** Whoever scans the next one does not wait for the one before. */
  const newest = useRef(0)
  useTypeAnywhere(form)
  // Nobody waits for it any more.
  useEffect(
    () => () => {
      newest.current = -1
    },
    [],
  )

  const look = async (text: string) => {
    const code = readTyped(text)?.code ?? ''
    if (code === '') return
    const own = ++newest.current
    setIsAsking(true)
    const answer = await act<ShownVoucher>('/merchant-integrations/verify-voucher', { voucherCode: code })
    if (own !== newest.current) return
    setIsAsking(false)
    if ('data' in answer) {
      onVoucher(answer.data)
      return
    }
    setFault(sayRefusal(answer.refusal))
    // The next one is scanned over it.
    inputOf(form.current)?.select()
  }
  const change = ({ target }: ChangeEvent<HTMLInputElement>) => {
    // Writing in the middle would throw the caret to the end, so the groups wait until the field is left.
    const text = target.selectionStart === target.value.length ? writeSymbols(target.value) : target.value
    setTyped(text)
    setFault(isMistyped(text) ? words.till.mistyped : '')
  }
  if (isScanning)
    return (
      <Suspense fallback={<Skeleton shape="square" />}>
        <Scan
          words={words.till}
          onCode={(found) => {
            setIsScanning(false)
            setTyped(writeSymbols(found))
            void look(found)
          }}
          onStop={() => setIsScanning(false)}
        />
      </Suspense>
    )
  return (
    <form
      className="till-code"
      ref={form}
      noValidate
      onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
        event.preventDefault()
        void look(typed)
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
        onBlur={() => setTyped(writeSymbols(typed))}
      />
      <div className="acts">
        <Button kind="main" type="submit" aria-disabled={isAsking}>
          {isAsking ? words.oneMoment : words.till.look}
        </Button>
        <Button onClick={() => setIsScanning(true)}>{words.till.scan}</Button>
      </div>
    </form>
  )
}

/** In fours, and with figures where letters look like them. What is no plain code, such as an address, stays as it is. */
function writeSymbols(text: string): string {
  const grouped = groupTyped(text)
  return grouped === text && /[.#/:]/.test(text) ? text : grouped.replaceAll('O', '0').replaceAll(/[IL]/g, '1')
}

function inputOf(form: HTMLFormElement | null): HTMLInputElement | null {
  return form?.querySelector('input') ?? null
}

/** Whoever types while the focus is nowhere types into the field: a scanner does not know where the focus is. */
function useTypeAnywhere(form: { readonly current: HTMLFormElement | null }): void {
  useEffect(() => {
    const look = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      const isTyped = key.length === 1 && !ctrlKey && !metaKey && !altKey
      const isElsewhere = target instanceof Element && target.closest('input, select, textarea, dialog') !== null
      // The space bar presses buttons.
      if (isTyped && key !== ' ' && !isElsewhere) inputOf(form.current)?.focus()
    }
    addEventListener('keydown', look)
    return () => removeEventListener('keydown', look)
  }, [form])
}
