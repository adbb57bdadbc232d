import { useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'

const shownMs = 4000

export function CopyButton({ text }: { readonly text: string }) {
  const [outcome, setOutcome] = useState<'' | 'copied' | 'refused'>('')
  useEffect(() => {
    if (outcome === '') return
    const timer = setTimeout(() => setOutcome(''), shownMs)
    return () => clearTimeout(timer)
  }, [outcome])
  return (
    <>
      <Button
        aria-label="Copy the code"
        onClick={() => void copy(text).then((isCopied) => setOutcome(isCopied ? 'copied' : 'refused'))}
      >
        {outcome === 'copied' ? 'Copied' : 'Copy'}
      </Button>
      <span className={outcome === 'refused' ? 'copy-refused' : 'for-screen-readers'} role="status">
        {outcome === 'copied' && 'The code is copied.'}
        {outcome === 'refused' && 'This browser does not let us copy. Please press and hold the code.'}
      </span>
    </>
  )
}

/** Some browsers have no clipboard on plain http, and any may refuse. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
