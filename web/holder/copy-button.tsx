import { useEffect, useState, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { words } from './words.ts'

const shownMs = 4000

export function CopyButton({ text }: { readonly text: string }): ReactNode {
  const [outcome, setOutcome] = useState<'' | 'copied' | 'refused'>('')
  useEffect(() => {
    if (outcome === '') return
    const timer = setTimeout(() => setOutcome(''), shownMs)
    return () => clearTimeout(timer)
  }, [outcome])
  return (
    <>
      <Button
        aria-label={words.copy.label}
        onClick={() => void copy(text).then((isCopied) => setOutcome(isCopied ? 'copied' : 'refused'))}
      >
        {outcome === 'copied' ? words.copy.done : words.copy.act}
      </Button>
      <span className={outcome === 'refused' ? 'copy-refused' : 'for-screen-readers'} role="status">
        {outcome === 'copied' && words.copy.doneStatus}
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
