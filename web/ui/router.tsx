import { type AnchorHTMLAttributes, type MouseEvent, type ReactNode, startTransition, useEffect, useState } from 'react'
import { isHeld } from './hold.ts'

type LinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { readonly to: string }

export type Router = {
  /** The parts of the path below `root`. */
  readonly useRoute: () => readonly string[]
  readonly useQuery: () => URLSearchParams
  readonly go: (path: string, how?: 'push' | 'replace') => void
  /** A link within the app. Opened in another tab it is an ordinary link. */
  readonly Link: (props: LinkProps) => ReactNode
}

/** Routes the addresses below `root`. */
export function createRouter(root: string): Router {
  /** The next screen renders in a transition, so that the pressed link reacts at once. */
  function useAddress(): string {
    const [address, setAddress] = useState(readAddress)
    useEffect(() => {
      const update = () => {
        // Undoes the browser's back button while a request is under way.
        if (isHeld()) {
          if (readAddress() !== address) history.pushState(null, '', address)
          return
        }
        startTransition(() => {
          setAddress(readAddress())
        })
      }
      addEventListener('popstate', update)
      return () => removeEventListener('popstate', update)
    }, [address])
    return address
  }

  function useRoute(): readonly string[] {
    const [path = ''] = useAddress().split('?')
    return path.slice(root.length).split('/').filter(Boolean).map(decodeURIComponent)
  }

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

  function Link({ to, ...rest }: LinkProps): ReactNode {
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
