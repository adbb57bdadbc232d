import { type ReactNode, useState } from 'react'
import { Card } from '../../ui/card.tsx'
import { Facts } from '../../ui/facts.tsx'
import { groupDecimal } from '../../ui/numbers.ts'
import { Toggle } from '../../ui/segmented.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import { act, refresh, useKnown } from '../shell/request-dashboard.ts'
import type { FeeSettings } from '../shell/responses.ts'
import { Loaded, Money } from '../shell/shop.tsx'
import { settingWords } from '../words/setting-words.ts'
import { describeError } from '../words/words.ts'

const path = '/merchant-integrations/fetch-admin-charges'

type FeesProps = { readonly isOwner: boolean; readonly homeCurrency: string }

/** What a redemption costs, and who pays it. */
export function Fees({ isOwner, homeCurrency }: FeesProps): ReactNode {
  const known = useKnown<FeeSettings>(path)
  const balance = useKnown<{ readonly balance: string }>(
    `/merchant-integrations-server/admin-balance?currencyAbbreviation=${encodeURIComponent(homeCurrency)}`,
  )
  const { tell, shown } = useOutcome(describeError)
  const [isBusy, setIsBusy] = useState(false)
  const change = (takeChargesFromWallet: boolean) => {
    if (isBusy) return
    setIsBusy(true)
    void act('/merchant-integrations/update-admin-charges', { takeChargesFromWallet }).then(async (response) => {
      tell(response, takeChargesFromWallet ? settingWords.takesOn : settingWords.takesOff)
      await refresh(path)
      setIsBusy(false)
    })
  }
  return (
    <Card heading={settingWords.fees}>
      <p className="soft">{settingWords.feesLead}</p>
      <Loaded known={known}>
        {({
          redeemChargesFixRate,
          redeemChargesPercentage,
          redeemChargesPercentageDiscount,
          takeChargesFromWallet,
        }) => (
          <>
            <Facts
              kind="plain"
              rows={[
                [settingWords.fixed, <Money key="fixed" value={redeemChargesFixRate} code={homeCurrency} />],
                [settingWords.share, settingWords.percent(groupDecimal(redeemChargesPercentage))],
                [settingWords.discount, settingWords.percent(groupDecimal(redeemChargesPercentageDiscount))],
                [settingWords.paidBy, takeChargesFromWallet ? settingWords.byShop : settingWords.byVoucher],
                ...(balance.data === null
                  ? []
                  : [
                      [
                        settingWords.feeBalance,
                        <Money key="balance" value={balance.data.balance} code={homeCurrency} />,
                      ] as const,
                    ]),
              ]}
            />
            {isOwner && (
              <div className="settings-switch">
                <span>
                  {settingWords.takes}
                  <span className="field-hint">{settingWords.byShopHint}</span>
                </span>
                <Toggle label={settingWords.takes} isOn={takeChargesFromWallet} onToggle={change} />
              </div>
            )}
          </>
        )}
      </Loaded>
      {shown}
    </Card>
  )
}
