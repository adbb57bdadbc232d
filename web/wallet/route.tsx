import { type AnchorHTMLAttributes, type MouseEvent, startTransition, useEffect, useState } from 'react'

export const root = '/app'

/** The parts of the address behind /app. A press is answered at once; the next screen is drawn behind it. */
export function useRoute(): readonly string[] {
  const [path, setPath] = useState(location.pathname)
  useEffect(() => {
    const look = () => {
      startTransition(() => {
        setPath(location.pathname)
      })
    }
    addEventListener('popstate', look)
    return () => removeEventListener('popstate', look)
  }, [])
  return path.slice(root.length).split('/').filter(Boolean)
}

export function go(path: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', root + path)
  else history.replaceState(null, '', root + path)
  dispatchEvent(new PopStateEvent('popstate'))
  scrollTo(0, 0)
}

type LinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { readonly to: string }

/** A link within the app. Opened in another tab it is a link like any other. */
export function Link({ to, ...rest }: LinkProps) {
  const onClick = (event: MouseEvent<HTMLAnchorElement>) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    go(to)
  }
  return <a {...rest} href={root + to} onClick={onClick} />
}
