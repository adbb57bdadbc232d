import { Check, Copy } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { uiWords } from './words.ts'

const shownMs = 4_000

type CopyButtonProps = {
  readonly text: string
  readonly label: string
  readonly kind?: 'quiet' | 'tint' | 'bare'
  readonly size?: 's' | 'm'
}

/** Copies a text, and says so on the button and to screen readers. */
export function CopyButton({ text, label, kind = 'quiet', size = 'm' }: CopyButtonProps): ReactNode {
  const words = uiWords().copy
  const [outcome, setOutcome] = useState<'' | 'copied' | 'refused'>('')
  useEffect(() => {
    if (outcome === '') return
    const timer = setTimeout(() => setOutcome(''), shownMs)
    return () => clearTimeout(timer)
  }, [outcome])
  const isCopied = outcome === 'copied'
  return (
    <>
      <Button
        kind={kind}
        size={size}
        onClick={() => void copy(text).then((isDone) => setOutcome(isDone ? 'copied' : 'refused'))}
      >
        {isCopied ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
        {isCopied ? words.done : label}
      </Button>
      <span className={outcome === 'refused' ? 'soft' : 'for-screen-readers'} role="status">
        {isCopied && words.done}
        {outcome === 'refused' && words.refused}
      </span>
    </>
  )
}

/** Returns false where the browser has no clipboard, as on plain HTTP, or blocks it. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
