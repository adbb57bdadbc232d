import type { ReactNode } from 'react'
import './explorer-link.css'

type ExplorerLinkProps = { readonly url: string; readonly name?: string; readonly children?: ReactNode }

/** A link to an address or a transaction in the explorer of its network. Without an explorer, only the name. */
export function ExplorerLink({ url, name = '', children }: ExplorerLinkProps): ReactNode {
  const content = children ?? <code className="chain-name">{shortAddress(name)}</code>
  if (!/^https?:\/\//.test(url)) return <span title={name}>{content}</span>
  return (
    <a href={url} target="_blank" rel="noreferrer" title={name}>
      {content}
    </a>
  )
}

/** The ends of an address or a transaction hash, which people compare: 0x5aAeb6…1BeAed. */
export function shortAddress(name: string): string {
  return name.length > 20 ? `${name.slice(0, 8)}…${name.slice(-6)}` : name
}
