import {
  type AnchorHTMLAttributes,
  createContext,
  type MouseEvent,
  type ReactNode,
  useContext,
  useDeferredValue,
  useLayoutEffect,
} from 'react'
import { Link as RouterLink, Router as Routing } from 'wouter'
import { navigate, useLocationProperty } from 'wouter/use-browser-location'
import { isHeld } from './hold.ts'
import { showEntry } from './scroll.ts'

type LinkProps<Address> = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { readonly to: Address }

export type Router<Address extends string> = {
  /** Everything that routes: `Route`, `Switch` and links inside of it are below `root`. */
  readonly Routes: (props: { readonly children: ReactNode }) => ReactNode
  readonly useSearchParams: () => URLSearchParams
  readonly go: (address: Address, how?: 'push' | 'replace') => void
  /** A link within the app. Opened in another tab it is an ordinary link. */
  readonly Link: (props: LinkProps<Address>) => ReactNode
  /** A link to the screen above. If the user came from there, it goes back to it as it was: filters, page and scroll position. */
  readonly BackLink: (props: LinkProps<Address>) => ReactNode
}

/** What an entry of the history remembers. */
type Entry = {
  readonly key: string
  /** The path and search that the user came from. */
  readonly from: string
}

/**
 * Routes the addresses below `root`. `Address` lists them, so that a link to a screen that does not exist fails the type check.
 */
export function createRouter<Address extends string>(root: string): Router<Address> {
  addEventListener('popstate', undoWhileHeld)
  if (history.state === null) history.replaceState(newEntry(''), '')

  function Routes({ children }: { readonly children: ReactNode }): ReactNode {
    // The next screen renders in the background, so that the pressed link reacts at once.
    const address = useDeferredValue(useLocationProperty(readAddress))
    useLayoutEffect(() => {
      rendered = { address, state: history.state }
      showEntry(entry().key)
    }, [address])
    return (
      <AddressContext value={address}>
        <Routing base={root} hook={useAddress} searchHook={useSearch}>
          {children}
        </Routing>
      </AddressContext>
    )
  }

  function useSearchParams(): URLSearchParams {
    return new URLSearchParams(useSearch())
  }

  function go(address: Address, how: 'push' | 'replace' = 'push'): void {
    move(root + address, { replace: how === 'replace' })
  }

  function Link({ to, ...rest }: LinkProps<Address>): ReactNode {
    return <RouterLink {...rest} href={to} />
  }

  function BackLink({ to, ...rest }: LinkProps<Address>): ReactNode {
    const goBack = (event: MouseEvent): void => {
      if (isHeld() || entry().from.split('?')[0] !== root + to) return
      event.preventDefault()
      history.back()
    }
    return <RouterLink {...rest} href={to} onClick={goBack} />
  }

  return { Routes, useSearchParams, go, Link, BackLink }
}

const AddressContext = createContext('')

function readAddress(): string {
  return location.pathname + location.search
}

function useAddress(): [string, typeof move] {
  const [path = ''] = useContext(AddressContext).split('?')
  return [path, move]
}

function useSearch(): string {
  const [, search = ''] = useContext(AddressContext).split('?')
  return search
}

function move(address: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (isHeld()) return
  const from = replace ? entry().from : readAddress()
  navigate(address, { replace, state: newEntry(from) })
}

function newEntry(from: string): Entry {
  return { key: crypto.randomUUID(), from }
}

function entry(): Entry {
  return history.state as Entry
}

let rendered = { address: readAddress(), state: history.state as unknown }

/** While a request that moves money is under way, the browser's back button does nothing. */
function undoWhileHeld(event: PopStateEvent): void {
  if (!isHeld()) return
  event.stopImmediatePropagation()
  history.pushState(rendered.state, '', rendered.address)
}
