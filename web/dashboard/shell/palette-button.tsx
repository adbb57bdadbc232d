import { Search } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { isHeld } from '../../ui/hold.ts'
import { words } from '../words/words.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Opens the command palette, as Ctrl-K or Command-K does on every screen. Its file loads with the first use. */
export function PaletteButton(): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (!isShortcut(event)) return
      // The browser's own shortcut goes to its address bar.
      event.preventDefault()
      // A dialog, and a request that moves money, have to be ended first.
      if (!isHeld() && document.querySelector('[role=dialog]') === null) setIsOpen(true)
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  return (
    <>
      <button
        type="button"
        className="frame-search"
        aria-haspopup="dialog"
        aria-keyshortcuts={isApple ? 'Meta+K' : 'Control+K'}
        onClick={() => setIsOpen(true)}
      >
        <Search aria-hidden="true" />
        <span>{words.palette}</span>
        <kbd aria-hidden="true">{isApple ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {isOpen && (
        <Suspense>
          <Palette onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

function isShortcut({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (isApple ? metaKey : ctrlKey) && !altKey && !shiftKey
}
