import { Download, Ellipsis, Gift, Search, Undo2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button, IconButton } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { FilterChip } from '../ui/chip.tsx'
import { Choice } from '../ui/choice.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { DateField } from '../ui/date-field.tsx'
import { DigitsField } from '../ui/digits-field.tsx'
import { Field } from '../ui/field.tsx'
import { Keypad } from '../ui/keypad.tsx'
import { Segmented, Toggle } from '../ui/segmented.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { ignore } from './ignore.ts'

export function Controls(): ReactNode {
  return (
    <>
      <Buttons />
      <Fields />
      <Choices />
    </>
  )
}

function Buttons() {
  return (
    <Card heading="Buttons">
      <div className="components-line">
        <Button kind="main">Issue voucher</Button>
        <Button>
          <Download aria-hidden="true" />
          Export CSV
        </Button>
        <Button kind="tint">
          <Gift aria-hidden="true" />
          Sell voucher
        </Button>
        <Button kind="bare">Change amount</Button>
        <Button kind="danger">Refund $42.60</Button>
        <Button kind="danger-quiet">
          <Undo2 aria-hidden="true" />
          Refund payment
        </Button>
        <IconButton label="More">
          <Ellipsis aria-hidden="true" />
        </IconButton>
        <IconButton label="More" isBordered>
          <Ellipsis aria-hidden="true" />
        </IconButton>
      </div>
      <div className="components-line">
        <Button kind="main" disabled>
          Pay out
        </Button>
        <Button aria-disabled>One moment</Button>
        <Button kind="bare" disabled>
          Resend
        </Button>
        <CopyButton text="J1NZ-V91P-CXQJ-9YH9" label="Copy code" />
      </div>
      <div className="components-line">
        <Button kind="main" size="s">
          Small
        </Button>
        <Button kind="main">Default</Button>
        <Button kind="main" size="l">
          Large
        </Button>
        <Button kind="main" size="xl">
          Review $12.50
        </Button>
      </div>
    </Card>
  )
}

function Fields() {
  return (
    <Card heading="Fields">
      <div className="components-fields">
        <Field label="Recipient" placeholder="Email, username or phone" hint="The recipient must have a wallet." />
        <Field label="Amount" defaultValue="180.00" lead={<span>$</span>} error="The voucher has $100.00 left." />
        <Field label="Search" lead={<Search aria-hidden="true" />} placeholder="Reference or amount" />
        <Field label="Voucher code" face="code" defaultValue="J1NZ-V91P-CXQJ-9YH9" />
        <Field label="Shop" defaultValue="Corner Books" disabled />
        <Choice
          label="Currency"
          options={[
            ['USD', 'US dollar'],
            ['EUR', 'Euro'],
          ]}
        />
        <DateField label="Expires" value="2027-03-12" onDay={ignore} />
        <DigitsField label="PIN" hint="6 digits." length={6} value="123" onDigits={ignore} />
        <DigitsField label="Voucher PIN" length={4} value="12" error="Incorrect voucher PIN." onDigits={ignore} />
        <DigitsField label="PIN" length={4} value="1234" disabled onDigits={ignore} />
      </div>
    </Card>
  )
}

function Choices() {
  const [tab, setTab] = useState<'overview' | 'ledger'>('overview')
  return (
    <Card heading="Choices">
      <div className="components-line">
        <Segmented
          label="Currency"
          value="USD"
          options={[
            ['USD', 'USD'],
            ['EUR', 'EUR'],
            ['NGN', 'NGN'],
          ]}
          onChoose={ignore}
        />
        <Toggle label="Email me" isOn onToggle={ignore} />
        <Toggle label="Notify me" isOn={false} onToggle={ignore} />
        <FilterChip
          label="Status"
          value="WAITING"
          options={[['WAITING', 'Waiting']]}
          any="All"
          clearLabel="Remove filter: Status"
          onChoose={ignore}
        />
        <FilterChip
          label="Currency"
          value=""
          options={[['USD', 'USD']]}
          any="All"
          clearLabel="Remove filter: Currency"
          onChoose={ignore}
        />
      </div>
      <div className="components-line">
        <div>
          <Tabs
            label="Payment"
            shown={tab}
            onShow={setTab}
            tabs={[
              { name: 'overview', label: 'Overview', content: <p className="soft">The overview.</p> },
              { name: 'ledger', label: 'Ledger', content: <p className="soft">The ledger.</p> },
            ]}
          />
        </div>
      </div>
      <Keypad label="Amount" extraKey="." deleteLabel="Delete" onKey={ignore} onDelete={ignore} />
    </Card>
  )
}
