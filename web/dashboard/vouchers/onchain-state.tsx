import type { ReactNode } from 'react'
import { ExplorerLink } from '../../ui/explorer-link.tsx'
import { Facts } from '../../ui/facts.tsx'
import type { Onchain } from '../shell/responses.ts'
import { Money } from '../shell/shop.tsx'
import { Status } from '../parts/status.tsx'
import { words } from '../words/words.ts'

type OnchainStateProps = { readonly onchain: Onchain; readonly currency: string }

/** Where the value of an onchain voucher is. */
export function OnchainState({ onchain, currency }: OnchainStateProps): ReactNode {
  const { state, network, vault, vaultUrl, balance, transactionUrl } = onchain
  const names = { [state]: words.onchain.states[state](network) }
  const creation = (
    <ExplorerLink key="creation" url={transactionUrl}>
      {words.onchain.openTransaction}
    </ExplorerLink>
  )
  return (
    <section className="onchain-state" aria-labelledby="onchain-heading">
      <h2 id="onchain-heading">{words.onchain.heading}</h2>
      <Facts
        rows={[
          [words.onchain.state, <Status key="state" of={state} names={names} />],
          [words.onchain.vault, <ExplorerLink key="vault" url={vaultUrl} name={vault} />],
          [words.onchain.balance, <Money key="balance" value={balance} code={currency} />],
          ...(transactionUrl === '' ? [] : [[words.onchain.creation, creation] as const]),
        ]}
      />
    </section>
  )
}
