import { type AnchorHTMLAttributes, type MouseEvent, startTransition, useEffect, useState } from 'react'
import { isHeld } from './hold.ts'

type LinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { readonly to: string }

/** Screens by the address behind `root`. */
export function createRouter(root: string) {
  /** A press is answered at once; the next screen is drawn behind it. */
  function useAddress(): string {
    const [address, setAddress] = useState(readAddress)
    useEffect(() => {
      const look = () => {
        // Whoever goes back is brought here again.
        if (isHeld()) {
          if (readAddress() !== address) history.pushState(null, '', address)
          return
        }
        startTransition(() => {
          setAddress(readAddress())
        })
      }
      addEventListener('popstate', look)
      return () => removeEventListener('popstate', look)
    }, [address])
    return address
  }

  /** The parts of the path. */
  function useRoute(): readonly string[] {
    const [path = ''] = useAddress().split('?')
    return path.slice(root.length).split('/').filter(Boolean).map(decodeURIComponent)
  }

  /** What is behind the question mark. */
  function useQuery(): URLSearchParams {
    const [, query = ''] = useAddress().split('?')
    return new URLSearchParams(query)
  }

  function go(path: string, how: 'push' | 'replace' = 'push'): void {
    if (isHeld()) return
    if (how === 'push') history.pushState(null, '', root + path)
    else history.replaceState(null, '', root + path)
    dispatchEvent(new PopStateEvent('popstate'))
    scrollTo(0, 0)
  }

  /** A link within the app. Opened in another tab it is a link like any other. */
  function Link({ to, ...rest }: LinkProps) {
    const onClick = (event: MouseEvent<HTMLAnchorElement>) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
      event.preventDefault()
      go(to)
    }
    return <a {...rest} href={root + to} onClick={onClick} />
  }

  return { useRoute, useQuery, go, Link }
}

function readAddress(): string {
  return location.pathname + location.search
}
