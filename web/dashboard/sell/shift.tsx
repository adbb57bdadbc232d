import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import type { Shift } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { Link } from '../shell/place.ts'
import { Loaded, Money, useShop, When } from '../shell/shop.tsx'
import { selling } from '../words/selling.ts'
import { words } from '../words/words.ts'
import { CloseShift } from './close-shift.tsx'
import { ClosedShift } from './closed-shift.tsx'
import { OpenShift } from './open-shift.tsx'
import { type DeviceRegister, nameRegister, type Register, shiftPath, useRegister } from './register.ts'
import './sell.css'

/** The register of this device, and the shift that counts the cash in its drawer. */
export function ShiftScreen(): ReactNode {
  const device = useRegister()
  const { isLoaded, registers, register } = device
  return (
    <Screen heading={selling.shift.heading} lead={selling.shift.lead} back="/sell">
      {isLoaded && registers.length === 0 && <NoRegisters />}
      {registers.length > 0 && (
        <div className="sell-shift">
          <RegisterChoice {...device} />
          {register !== undefined && <ShiftOf key={register.id} register={register} />}
        </div>
      )}
    </Screen>
  )
}

function NoRegisters() {
  const { merchant } = useShop()
  const isOwner = merchant.role === 'owner' && !merchant.isTill
  return (
    <Empty heading={selling.shift.noRegisters} lead={selling.shift.noRegistersLead}>
      {isOwner && (
        <Link className="button" data-kind="main" to="/settings/locations">
          {selling.shift.addRegisters}
        </Link>
      )}
    </Empty>
  )
}

function RegisterChoice({ registers, register, choose }: DeviceRegister) {
  return (
    <Card>
      <Choice
        label={selling.register.ofDevice}
        value={register?.id ?? ''}
        onChange={(event) => choose(event.target.value)}
        options={[['', selling.register.none], ...registers.map((each) => [each.id, nameRegister(each)] as const)]}
      />
    </Card>
  )
}

function ShiftOf({ register }: { readonly register: Register }) {
  const { merchant } = useShop()
  const known = useKnown<{ readonly shift: Shift | null }>(shiftPath(register))
  const [closed, setClosed] = useState<Shift | null>(null)
  if (closed !== null)
    return (
      <Card heading={selling.shift.closed}>
        <ClosedShift shift={closed}>
          <div className="acts">
            <Button kind="main" autoFocus onClick={() => print()}>
              {words.print}
            </Button>
            <Button onClick={() => setClosed(null)}>{selling.shift.next}</Button>
          </div>
        </ClosedShift>
      </Card>
    )
  return (
    <Loaded known={known}>
      {({ shift }) => {
        if (shift !== null)
          return (
            <Card heading={selling.shift.close}>
              <OpenFacts shift={shift} />
              <CloseShift shift={shift} register={register} onClosed={setClosed} />
            </Card>
          )
        return (
          <Card heading={selling.shift.open}>
            {merchant.role === 'accountant' ? (
              <p>{selling.shift.missingAccountant}</p>
            ) : (
              <OpenShift register={register} />
            )}
          </Card>
        )
      }}
    </Loaded>
  )
}

function OpenFacts({ shift: { openedBy, openedAt, openingFloat, currency } }: { readonly shift: Shift }) {
  return (
    <Facts
      kind="plain"
      rows={[
        [selling.shift.openedBy, openedBy],
        [selling.shift.openedAt, <When key="opened" at={openedAt} />],
        [selling.shift.openingFloat, <Money key="float" value={openingFloat} code={currency} />],
      ]}
    />
  )
}
