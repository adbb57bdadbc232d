import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { words } from './words.ts'

const shownMs = 4_000

type CopyButtonProps = {
  readonly text: string
  readonly label: string
  readonly kind?: 'quiet' | 'bare'
}

/** Copies a text, and says so on the button and to screen readers. */
export function CopyButton({ text, label, kind = 'quiet' }: CopyButtonProps): ReactNode {
  const [outcome, setOutcome] = useState<'' | 'copied' | 'refused'>('')
  useEffect(() => {
    if (outcome === '') return
    const timer = setTimeout(() => setOutcome(''), shownMs)
    return () => clearTimeout(timer)
  }, [outcome])
  return (
    <>
      <Button
        kind={kind}
        onClick={() => void copy(text).then((isCopied) => setOutcome(isCopied ? 'copied' : 'refused'))}
      >
        {outcome === 'copied' ? words.copy.done : label}
      </Button>
      <span className={outcome === 'refused' ? 'soft' : 'for-screen-readers'} role="status">
        {outcome === 'copied' && words.copy.done}
        {outcome === 'refused' && words.copy.refused}
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
